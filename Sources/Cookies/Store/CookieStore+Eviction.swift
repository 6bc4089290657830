// SPDX-License-Identifier: Apache-2.0

extension CookieStore {
    /// The cookies that must go after `identity` was stored, in the order they go.
    ///
    /// Empty as long as every limit is kept; otherwise the limits are applied to the partition, the
    /// registrable domain and the whole store, narrowest first, so that one domain's cookies do not
    /// push out another's before its own.
    ///
    /// Within each: expired cookies, then cookies without Secure, then the rest, the least recently
    /// used first (section 5.7). The cookie just stored is spared: it is what the request was for.
    ///
    /// - Parameters:
    /// - identity: the cookie just stored.
    /// - rules: the limits, and the suffix list to tell registrable domains.
    /// - now: the current time.
    /// - Returns: identities to remove; nothing is changed here.
    /// - Complexity: O(1) while the store holds no more cookies than one domain may; else O(n log
    ///   n).
    public func evictions(
        afterStoring identity: CookieIdentity, rules: CookieRules, now: Timestamp
    ) -> [CookieIdentity] {
        let limits = rules.limits
        // Nearly every store, and nothing is copied for it.
        if identity.partitionKey == nil, count <= limits.perDomain, count <= limits.perStore {
            return []
        }
        var plan = EvictionPlan(sparing: identity, now: now)
        if identity.partitionKey != nil {
            plan.evict(
                from: cookies(of: identity, rules: rules), above: limits.perPartition,
                downTo: limits.perPartition, octets: limits.partitionOctets)
        } else if count > limits.perDomain {
            plan.evict(
                from: cookies(of: identity, rules: rules), above: limits.perDomain,
                downTo: limits.perDomainAfterEviction)
        }
        if count > limits.perStore {
            plan.evict(
                from: table.groups.flatMap(\.currentCookies), above: limits.perStore,
                downTo: limits.perStoreAfterEviction)
        }
        return plan.evicted
    }

    /// The cookies of the same registrable domain and partition.
    private func cookies(of identity: CookieIdentity, rules: CookieRules) -> [Cookie] {
        let site = rules.site(of: identity.domain)
        return table.groups.flatMap { group -> [Cookie] in
            // A name below the site may have a site of its own, where the list has a rule in
            // between.
            guard DomainMatch.matches(host: group.domain, domain: site),
                group.domain == identity.domain || rules.site(of: group.domain) == site
            else { return [] }
            return group.currentCookies.filter { $0.identity.partitionKey == identity.partitionKey }
        }
    }
}

/// What has been chosen so far.
private struct EvictionPlan {
    private let spared: CookieIdentity
    private let now: Timestamp
    private(set) var evicted: [CookieIdentity] = []
    private var gone: Set<CookieIdentity> = []

    init(sparing identity: CookieIdentity, now: Timestamp) {
        spared = identity
        self.now = now
    }

    /// Chooses from `cookies` until no more than `target` of them are left, if there are more than
    /// `limit` or they take more than `octets`.
    mutating func evict(
        from cookies: [Cookie], above limit: Int, downTo target: Int, octets: Int = .max
    ) {
        let cookies = cookies.filter { !gone.contains($0.identity) }
        var size = cookies.reduce(0) { $0 + Self.octets($1) }
        guard cookies.count > limit || size > octets else { return }
        var left = cookies.count
        let order = cookies.sorted { EvictionOrder.goesBefore($0, $1, now: now) }
        for cookie in order where cookie.identity != spared {
            guard left > target || size > octets || cookie.isExpired(at: now) else { return }
            evicted.append(cookie.identity)
            gone.insert(cookie.identity)
            left -= 1
            size -= Self.octets(cookie)
        }
    }

    private static func octets(_ cookie: Cookie) -> Int {
        cookie.identity.name.count + cookie.value.bytes.count
    }
}

/// Which cookie goes first when room is needed (section 5.7).
enum EvictionOrder {
    static func goesBefore(_ left: Cookie, _ right: Cookie, now: Timestamp) -> Bool {
        let (first, second) = (rank(left, now), rank(right, now))
        if first != second { return first < second }
        if left.lastAccess != right.lastAccess { return left.lastAccess < right.lastAccess }
        // Equal times are common, as the last access is kept coarsely. Older goes first, as in Chromium.
        if left.creationOrder != right.creationOrder {
            return left.creationOrder < right.creationOrder
        }
        return HeaderOrder.precedes(left, right)
    }

    private static func rank(_ cookie: Cookie, _ now: Timestamp) -> Int {
        if cookie.isExpired(at: now) { return 0 }
        return cookie.secure ? 2 : 1
    }
}
