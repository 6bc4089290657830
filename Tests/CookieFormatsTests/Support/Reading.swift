// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies

extension ReadingContext {
    /// 2026-11-30T12:00:00Z, and the URL that lines need.
    static var forTests: ReadingContext {
        ReadingContext(
            now: Timestamp(seconds: 1_796_040_000), url: Array("https://www.example.com/".utf8))
    }
}

extension FileEntry.Content {
    /// The cookie, or the fault as an error.
    func cookie() throws -> FinishedCookie {
        switch self {
        case .cookie(let cookie): return cookie
        case .fault(let fault): throw fault
        case .response: throw EntryFault.malformedEntry
        }
    }
}
