// SPDX-License-Identifier: Apache-2.0

/// What many cookies that come one after another leave behind, found in bounded memory.
///
/// A file may have half a million cookies; a store keeps a few thousand. This runs through them by the rules of a store
/// that is empty at first, limits included, and holds no more at any time than such a store may. What is left is then
/// stored for good in one go.
///
/// Cookies are told apart by the number that the caller gives each, counted upwards.
public struct CookieReplay: Sendable {
    /// What became of one cookie in its turn.
    public enum Event: Hashable, Sendable {
        /// It is there now, and was not before.
        case stored
        /// It is there now in place of another one.
        case replaced
        /// It was there already just so.
        case unchanged
        /// It was expired when it was set, and ended the one that was there.
        case deleted
        /// A rule refused it.
        case rejected(CookieRejection)
    }

    /// A cookie that is left, and which of those that came it was.
    public struct Survivor: Sendable {
        /// The cookie as the last of them left it.
        public let cookie: Cookie
        /// The number of the first that set it.
        public let first: Int
        /// The number of the last that set it.
        public let last: Int
    }

    /// The numbers of the cookies that were there and had to make room, in the order in which they went; the caller
    /// may take them away.
    public var evicted: [Int] = []

    private let rules: CookieRules
    private var survivors: [CookieIdentity: Survivor] = [:]
    private var sites: [Site: SiteShare] = [:]
    private var siteOfDomain: [[UInt8]: [UInt8]] = [:]
    private let nothing = CookieStore()

    /// What a limit counts by.
    private struct Site: Hashable {
        let domain: [UInt8]
        let partitionKey: [UInt8]?
    }

    private struct SiteShare {
        /// Beside `survivors`, so that to look through a site's cookies costs no look-ups.
        var members: [CookieIdentity: Cookie] = [:]
        var octets = 0
    }

    /// Nothing has come yet.
    public init(rules: CookieRules) {
        self.rules = rules
    }

    /// How many cookies are there now.
    public var count: Int { survivors.count }

    /// Takes a finished cookie.
    ///
    /// O(1) amortised, and O(n log n) in the limits when they are passed.
    public mutating func take(_ finished: FinishedCookie, number: Int, now: Timestamp) -> Event {
        carryOut(
            nothing.decide(finished, rules: rules, now: now, order: UInt64(clamping: number)),
            number: number, now: now)
    }

    /// Takes a line of a response.
    ///
    /// As for a finished cookie; from an insecure origin O(n) in the cookies that are there.
    public mutating func take(
        _ line: SetCookie, from context: ResponseContext, number: Int, now: Timestamp
    ) -> Event {
        let decision = nothing.decide(
            line, from: context, rules: rules, now: now, order: UInt64(clamping: number))
        let identity: CookieIdentity
        switch decision {
        case .store(let cookie, _): identity = cookie.identity
        case .delete(let deleted, _): identity = deleted
        case .reject, .unchanged: return carryOut(decision, number: number, now: now)
        }
        if !line.secure, !rules.isSecure(context.url), overlaysSecure(identity, now: now) {
            return .rejected(.secureOverlay)
        }
        return carryOut(decision, number: number, now: now)
    }

    /// What is left, in the order of creation; those among it that have expired meanwhile, too.
    ///
    /// O(n log n).
    public var remaining: [Survivor] {
        survivors.values.sorted { $0.cookie.creationOrder < $1.cookie.creationOrder }
    }

    private mutating func carryOut(
        _ decision: StorageDecision, number: Int, now: Timestamp
    ) -> Event {
        switch decision {
        case .reject(let reason): return .rejected(reason)
        case .unchanged: return .unchanged
        case .delete(let identity, _):
            guard let gone = remove(identity), !gone.cookie.isExpired(at: now) else {
                return .rejected(.alreadyExpired)
            }
            return .deleted
        case .store(let cookie, _): return store(cookie, number: number, now: now)
        }
    }

    private mutating func store(_ cookie: Cookie, number: Int, now: Timestamp) -> Event {
        guard let existing = survivors[cookie.identity], !existing.cookie.isExpired(at: now) else {
            remove(cookie.identity)
            insert(Survivor(cookie: cookie, first: number, last: number))
            makeRoom(for: cookie.identity, now: now)
            return .stored
        }
        guard !existing.cookie.hasSameContent(as: cookie) else {
            survivors[cookie.identity] = Survivor(
                cookie: existing.cookie, first: existing.first, last: number)
            return .unchanged
        }
        var cookie = cookie
        cookie.creationOrder = existing.cookie.creationOrder
        cookie.createdAt = existing.cookie.createdAt
        remove(cookie.identity)
        insert(Survivor(cookie: cookie, first: existing.first, last: number))
        makeRoom(for: cookie.identity, now: now)
        return .replaced
    }

    private mutating func insert(_ survivor: Survivor) {
        let identity = survivor.cookie.identity
        survivors[identity] = survivor
        let site = site(of: identity)
        sites[site, default: SiteShare()].members[identity] = survivor.cookie
        sites[site, default: SiteShare()].octets += Self.octets(survivor.cookie)
    }

    @discardableResult
    private mutating func remove(_ identity: CookieIdentity) -> Survivor? {
        guard let gone = survivors.removeValue(forKey: identity) else { return nil }
        let site = site(of: identity)
        guard var share = sites.removeValue(forKey: site) else { return gone }
        share.members[identity] = nil
        share.octets -= Self.octets(gone.cookie)
        if !share.members.isEmpty { sites[site] = share }
        return gone
    }

    /// Keeps the limits, the narrowest first, as a store does.
    private mutating func makeRoom(for identity: CookieIdentity, now: Timestamp) {
        let limits = rules.limits
        let isPartitioned = identity.partitionKey != nil
        let limit = isPartitioned ? limits.perPartition : limits.perDomain
        let octets = isPartitioned ? limits.partitionOctets : .max
        var victims: [CookieIdentity] = []
        if let share = sites[site(of: identity)],
            share.members.count > limit || share.octets > octets
        {
            victims = Self.victims(
                among: share.members.values, sparing: identity, now: now,
                downTo: isPartitioned ? limit : limits.perDomainAfterEviction, octets: octets)
        }
        for victim in victims { evict(victim) }
        guard survivors.count > limits.perStore else { return }
        victims = Self.victims(
            among: survivors.values.lazy.map(\.cookie), sparing: identity, now: now,
            downTo: limits.perStoreAfterEviction, octets: .max)
        for victim in victims { evict(victim) }
    }

    /// Those that have to go, in the order in which they do.
    private static func victims(
        among cookies: some Collection<Cookie>, sparing spared: CookieIdentity, now: Timestamp,
        downTo target: Int, octets: Int
    ) -> [CookieIdentity] {
        var left = cookies.count
        var size = cookies.reduce(0) { $0 + Self.octets($1) }
        func goesBefore(_ first: Cookie, _ second: Cookie) -> Bool {
            EvictionOrder.goesBefore(first, second, now: now)
        }
        // A full partition makes room for one at a time: that one is found without sorting all.
        if left == target + 1,
            let first = cookies.lazy.filter({ $0.identity != spared }).min(by: goesBefore),
            size - Self.octets(first) <= octets, !first.isExpired(at: now)
        {
            return [first.identity]
        }
        var victims: [CookieIdentity] = []
        for victim in cookies.sorted(by: goesBefore) where victim.identity != spared {
            guard left > target || size > octets || victim.isExpired(at: now) else { break }
            victims.append(victim.identity)
            left -= 1
            size -= Self.octets(victim)
        }
        return victims
    }

    private mutating func evict(_ identity: CookieIdentity) {
        guard let victim = remove(identity) else { return }
        evicted.append(victim.last)
        if victim.first != victim.last { evicted.append(victim.first) }
    }

    /// Section 5.7 step 16, over what is there.
    private func overlaysSecure(_ new: CookieIdentity, now: Timestamp) -> Bool {
        survivors.values.contains { survivor in
            let old = survivor.cookie
            return old.secure && old.identity.name == new.name
                && old.identity.partitionKey == new.partitionKey && !old.isExpired(at: now)
                && (DomainMatch.matches(host: old.identity.domain, domain: new.domain)
                    || DomainMatch.matches(host: new.domain, domain: old.identity.domain))
                && CookiePath.matches(request: new.path, path: old.identity.path)
        }
    }

    private mutating func site(of identity: CookieIdentity) -> Site {
        let domain: [UInt8]
        if let known = siteOfDomain[identity.domain] {
            domain = known
        } else {
            if siteOfDomain.count > 2 * rules.limits.perStore { siteOfDomain = [:] }
            domain = rules.site(of: identity.domain)
            siteOfDomain[identity.domain] = domain
        }
        return Site(domain: domain, partitionKey: identity.partitionKey)
    }

    private static func octets(_ cookie: Cookie) -> Int {
        cookie.identity.name.count + cookie.value.bytes.count
    }
}
