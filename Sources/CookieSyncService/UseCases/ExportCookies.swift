// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import JarStorage

/// Writes a store's cookies into a file (design section 6).
struct ExportCookies: Sendable {
    /// The format of the file.
    let format: CookieFormat
    /// What its writing depends on.
    let context: WritingContext

    /// The file, its cookies in the order of their creation, so that an import gives the same header; nil for a format
    /// that is only read.
    func run(on store: StoreState?, now: Timestamp) -> CookieFileWriter? {
        var cookies: [Cookie] = []
        store?.cookies.forEach { if !$0.isExpired(at: now) { cookies.append($0) } }
        cookies.sort { left, right in
            (left.creationOrder, left.identity.path.count, CookiePosition(of: left.identity))
                < (
                    right.creationOrder, right.identity.path.count,
                    CookiePosition(of: right.identity)
                )
        }
        return format.writer(cookies, context)
    }
}
