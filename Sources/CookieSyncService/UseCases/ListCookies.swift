// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Lists a store's cookies, page by page (design section 2.3).
struct ListCookies: Sendable {
    /// Which cookies.
    let filter: CookieFilter
    /// The last cookie of the page before.
    let after: CookiePosition?
    /// The most cookies of a page, at least one.
    let limit: Int

    /// The same list, of the host that the address of its URL belongs to.
    func actual(by hosts: HostTable) throws(ServiceError) -> ListCookies {
        ListCookies(filter: try filter.actual(by: hosts), after: after, limit: limit)
    }

    /// One page.
    struct Page {
        let cookies: [Cookie]
        /// Where the next page begins; nil on the last one.
        let next: CookiePosition?
    }

    /// The page of a store.
    ///
    /// Pages follow identities, not indices, so a cookie that is neither added nor removed while someone turns the
    /// pages is seen exactly once.
    func run(on store: StoreState?, now: Timestamp) -> Page {
        var found: [(position: CookiePosition, cookie: Cookie)] = []
        store?.cookies.forEach { cookie in
            guard !cookie.isExpired(at: now), filter.includes(cookie) else { return }
            let position = CookiePosition(of: cookie.identity)
            if let after, position <= after { return }
            found.append((position, cookie))
        }
        found.sort { $0.position < $1.position }
        let page = found.prefix(limit)
        return Page(
            cookies: page.map(\.cookie), next: found.count > limit ? page.last?.position : nil)
    }
}
