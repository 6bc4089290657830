// SPDX-License-Identifier: Apache-2.0

/// The cookies of one domain, ready to be served.
///
/// Never changed once made, but for the times of the last access: an update builds a new group.
///
/// `cookies` is in header order (section 5.8.3): longer paths first, then earlier creation. Beside
/// it lies what a fetch looks at, free of references: one `Entry` for each cookie, and one run of
/// octets holding every cookie's path and its `name=value`.
final class CookieGroup: Sendable {
    let domain: [UInt8]
    /// The cookies with their last access as it was when the group was made.
    let cookies: [Cookie]
    let accesses: AccessTimes
    let entries: [Entry]
    let octets: [UInt8]

    /// What decides whether a cookie is sent, and where its octets are.
    struct Entry: Sendable {
        let pathStart: Int
        let pairStart: Int
        let pairEnd: Int
        let creationOrder: UInt64
        let createdAt: Timestamp
        let expires: Timestamp?
        let hostOnly: Bool
        let secure: Bool
        let httpOnly: Bool
        let sameSite: SameSite
        let isPartitioned: Bool

        var pathCount: Int { pairStart - pathStart }
    }

    /// A group of cookies that are in header order.
    private init(domain: [UInt8], ordered cookies: [Cookie]) {
        self.domain = domain
        self.cookies = cookies
        accesses = AccessTimes(of: cookies)
        var octets: [UInt8] = []
        octets.reserveCapacity(
            cookies.reduce(0) {
                $0 + $1.identity.path.count + $1.identity.name.count + $1.value.bytes.count + 1
            })
        var entries: [Entry] = []
        entries.reserveCapacity(cookies.count)
        for cookie in cookies { entries.append(Entry(cookie, octets: &octets)) }
        self.octets = octets
        self.entries = entries
    }

    /// A group of one.
    convenience init(_ cookie: Cookie) {
        self.init(domain: cookie.identity.domain, ordered: [cookie])
    }

    /// A cookie as it is now.
    func cookie(at index: Int) -> Cookie {
        var cookie = cookies[index]
        cookie.lastAccess = accesses[index]
        return cookie
    }

    /// The cookies as they are now.
    var currentCookies: [Cookie] { cookies.indices.map(cookie) }

    /// The place of a cookie.
    ///
    /// Complexity: O(cookies of the domain).
    func index(of identity: CookieIdentity) -> Int? {
        cookies.firstIndex { $0.identity == identity }
    }

    /// The group with the cookie at `index` (if any) taken out and `cookie` put in at its place in
    /// the order.
    func replacing(_ index: Int?, with cookie: Cookie) -> CookieGroup {
        var cookies = currentCookies
        if let index { cookies.remove(at: index) }
        let place = cookies.firstIndex { HeaderOrder.precedes(cookie, $0) } ?? cookies.count
        cookies.insert(cookie, at: place)
        return CookieGroup(domain: domain, ordered: cookies)
    }

    /// The group without a cookie; nil when it was the last.
    func removing(_ index: Int) -> CookieGroup? {
        guard cookies.count > 1 else { return nil }
        var cookies = currentCookies
        cookies.remove(at: index)
        return CookieGroup(domain: domain, ordered: cookies)
    }
}

extension CookieGroup.Entry {
    /// Appends the cookie's octets and notes where they are.
    ///
    /// A nameless cookie is its value alone (section 5.8.3 step 4).
    fileprivate init(_ cookie: Cookie, octets: inout [UInt8]) {
        pathStart = octets.count
        octets += cookie.identity.path
        pairStart = octets.count
        if !cookie.identity.name.isEmpty {
            octets += cookie.identity.name
            octets.append(ASCII.equals)
        }
        octets += cookie.value.bytes
        pairEnd = octets.count
        creationOrder = cookie.creationOrder
        createdAt = cookie.createdAt
        expires = cookie.expires
        hostOnly = cookie.identity.hostOnly
        secure = cookie.secure
        httpOnly = cookie.httpOnly
        sameSite = cookie.sameSite
        isPartitioned = cookie.identity.partitionKey != nil
    }
}

/// The order of cookies in a header: longer paths first, then earlier creation.
///
/// The remaining parts of the identity make it total, so that it never depends on the order of
/// calls.
enum HeaderOrder {
    static func precedes(_ left: Cookie, _ right: Cookie) -> Bool {
        let (first, second) = (left.identity, right.identity)
        if first.path.count != second.path.count { return first.path.count > second.path.count }
        if left.creationOrder != right.creationOrder {
            return left.creationOrder < right.creationOrder
        }
        if first.domain.count != second.domain.count {
            return first.domain.count > second.domain.count
        }
        if first.hostOnly != second.hostOnly { return first.hostOnly }
        return key(first).lexicographicallyPrecedes(key(second)) { left, right in
            left.lexicographicallyPrecedes(right)
        }
    }

    private static func key(_ identity: CookieIdentity) -> [[UInt8]] {
        [identity.name, identity.path, identity.domain, identity.partitionKey ?? []]
    }
}
