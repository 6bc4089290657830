// SPDX-License-Identifier: Apache-2.0

/// The cookies of one store: a value, cheap to copy, and quick to ask.
///
/// Cookies are kept by domain in immutable groups (`CookieGroup`); a copy shares them, and a change
/// makes one group anew. Expired cookies stay until they are removed, but no decision sees them.
public struct CookieStore: Sendable {
    private(set) var table = DomainTable()
    /// How many cookies there are, expired ones included.
    public private(set) var count = 0
    /// About how many bytes of memory the cookies take.
    public private(set) var footprint = 0

    /// A store without cookies.
    public init() {}

    /// Whether there are no cookies.
    public var isEmpty: Bool { count == 0 }

    /// The cookie of this identity, expired or not.
    ///
    /// Complexity: O(cookies of the domain).
    public subscript(identity: CookieIdentity) -> Cookie? {
        guard let group = table.group(of: identity.domain) else { return nil }
        return group.index(of: identity).map(group.cookie)
    }

    /// Whether there is a cookie of this identity whose time has not come.
    ///
    /// Complexity: O(cookies of the domain), without allocation.
    public func hasLive(_ identity: CookieIdentity, at now: Timestamp) -> Bool {
        guard let group = table.group(of: identity.domain), let index = group.index(of: identity)
        else { return false }
        return !group.entries[index].isExpired(at: now)
    }

    /// Stores a cookie as it is, in the place of the one of the same identity.
    ///
    /// Complexity: O(cookies of the domain), and O(domains) when the store is shared with a copy.
    public mutating func upsert(_ cookie: Cookie) {
        guard let group = table.group(of: cookie.identity.domain) else {
            return set(CookieGroup(cookie), inPlaceOf: nil)
        }
        set(group.replacing(group.index(of: cookie.identity), with: cookie), inPlaceOf: group)
    }

    /// Stores many cookies as they are, of which none may be there, nor one come twice.
    ///
    /// Complexity: O(n log n); to store them one by one would take the square of each domain's.
    public mutating func insert(contentsOf cookies: [Cookie]) {
        for (domain, cookies) in Dictionary(grouping: cookies, by: \.identity.domain) {
            if table.group(of: domain) == nil, let group = CookieGroup(domain: domain, cookies) {
                set(group, inPlaceOf: nil)
            } else {
                for cookie in cookies { upsert(cookie) }
            }
        }
    }

    /// Removes a cookie and returns it.
    ///
    /// Complexity: O(cookies of the domain), and O(domains) when the store is shared with a copy.
    @discardableResult
    public mutating func remove(_ identity: CookieIdentity) -> Cookie? {
        guard let group = table.group(of: identity.domain), let index = group.index(of: identity)
        else { return nil }
        let cookie = group.cookie(at: index)
        if let rest = group.removing(index) {
            set(rest, inPlaceOf: group)
        } else {
            table.remove(identity.domain)
            count -= 1
            footprint -= group.footprint
        }
        return cookie
    }

    private mutating func set(_ group: CookieGroup, inPlaceOf old: CookieGroup?) {
        table.set(group)
        count += group.entries.count - (old?.entries.count ?? 0)
        footprint += group.footprint - (old?.footprint ?? 0)
    }

    /// Visits every cookie that was used since it was stored, or loaded, with the time of its last
    /// access; in no particular order.
    ///
    /// Complexity: O(n).
    public func forEachAccess(_ body: (CookieIdentity, Timestamp) throws -> Void) rethrows {
        for group in table.groups {
            for (index, entry) in group.entries.enumerated()
            where group.accesses[index] > entry.lastAccess {
                try body(group.identity(at: index), group.accesses[index])
            }
        }
    }

    /// Visits every cookie: domains in the order of their octets, each in header order.
    ///
    /// Complexity: O(n + d log d) for n cookies of d domains.
    public func forEach(_ body: (Cookie) throws -> Void) rethrows {
        let ordered = table.groups.sorted { $0.domain.lexicographicallyPrecedes($1.domain) }
        for group in ordered {
            for index in group.entries.indices { try body(group.cookie(at: index)) }
        }
    }
}
