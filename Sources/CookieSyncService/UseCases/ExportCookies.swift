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
        var cookies = CookieSelection(store?.cookies ?? CookieStore())
        cookies.removeAll { $0.isExpired(at: now) }
        cookies.sort { cookie in
            (cookie.creationOrder, cookie.identity.path.count, CookiePosition(of: cookie.identity))
        } _: {
            $0 < $1
        }
        return format.writer(cookies, context)
    }
}
