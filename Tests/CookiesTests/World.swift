// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

/// What most tests share: the real list and mapping, and a fixed time.
enum World {
    static let listPath = "/usr/share/publicsuffix/public_suffix_list.dat"
    static let suffixes = try? PublicSuffixFile(path: listPath)
    /// The time of the tests: 2026-11-30T12:00:00Z.
    static let now = Timestamp(seconds: 1_796_040_000)

    static func rules(loopbackIsSecure: Bool = true, limits: CookieLimits = .standard) throws
        -> CookieRules
    {
        CookieRules(
            suffixes: try #require(suffixes), names: IDNA(), loopbackIsSecure: loopbackIsSecure,
            limits: limits)
    }

    static func url(_ text: String) throws -> CookieURL {
        try CookieURL(parsing: Array(text.utf8), names: IDNA())
    }
}
