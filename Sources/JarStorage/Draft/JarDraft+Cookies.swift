// SPDX-License-Identifier: Apache-2.0

public import Cookies

extension JarDraft {
    /// Takes in one Set-Cookie line of a response (RFC 6265bis section 5.7).
    public mutating func receive(
        _ setCookie: SetCookie, in store: StoreID, from context: ResponseContext,
        rules: CookieRules, now: Timestamp
    ) -> Verdict {
        let content = state[store]
        guard content.settings.acceptPolicy.accepts(context, rules: rules) else {
            return Verdict(name: setCookie.name, outcome: .rejected, reason: .acceptPolicy)
        }
        let decision = content.cookies.decide(
            setCookie, from: context, rules: rules, now: now, order: state.revision.next.rawValue,
            sessionEnd: content.settings.sessionEnd(rules: rules, now: now))
        return carryOut(decision, name: setCookie.name, in: store, rules: rules, now: now)
    }

    /// Takes in a finished cookie.
    ///
    /// No document stands behind it, so of the accept policies only `never` refuses it. A domain that is an address of
    /// a known host is that host.
    public mutating func put(
        _ cookie: FinishedCookie, in store: StoreID, rules: CookieRules, now: Timestamp
    ) -> Verdict {
        let settings = state[store].settings
        guard settings.acceptPolicy != .never else {
            return Verdict(name: cookie.name, outcome: .rejected, reason: .acceptPolicy)
        }
        var cookie = cookie
        do throws(AmbiguousAddress) {
            try refile(&cookie, rules: rules)
        } catch {
            return Verdict(name: cookie.name, outcome: .rejected, reason: .ambiguousHost)
        }
        let decision = state[store].cookies.decide(
            cookie, rules: rules, now: now, order: state.revision.next.rawValue,
            sessionEnd: settings.sessionEnd(rules: rules, now: now))
        return carryOut(decision, name: cookie.name, in: store, rules: rules, now: now)
    }

    /// Puts the host that an address belongs to in its place.
    private func refile(
        _ cookie: inout FinishedCookie, rules: CookieRules
    ) throws(AmbiguousAddress) {
        guard !tenant.hosts.isEmpty else { return }
        let hasDot = cookie.domain.first == UInt8(ascii: ".")
        guard
            let host = Host(
                hasDot ? Array(cookie.domain.dropFirst()) : cookie.domain, names: rules.names),
            host.isAddress
        else { return }
        let actual = try tenant.hosts.actual(host)
        guard actual != host else { return }
        cookie.domain = actual.bytes
        cookie.hostOnly = true
    }

    /// Deletes a cookie because someone means it.
    ///
    /// False when the store has none; then its deletion is remembered if another store still has a copy.
    public mutating func delete(
        _ identity: CookieIdentity, in store: StoreID, now: Timestamp
    ) -> Bool {
        guard state[store].cookies[identity] != nil else {
            bury(identity, in: store, now: now)
            return false
        }
        let isLive = state[store].liveCookie(identity, at: now) != nil
        remove(identity, in: store, cause: isLive ? .deleted : .expired, travels: true, now: now)
        return isLive
    }

    /// Deletes a store with its cookies; answers how many there were, or nil when there is no such store.
    public mutating func deleteStore(_ store: StoreID, now: Timestamp) -> Int? {
        guard state[store].isPresent else { return nil }
        var identities: [CookieIdentity] = []
        state[store].cookies.forEach { identities.append($0.identity) }
        var count = 0
        for identity in identities where delete(identity, in: store, now: now) { count += 1 }
        record(.storeDeleted, .deleted, in: store, now: now)
        return count
    }

    /// Deletes every store; answers how many cookies there were.
    ///
    /// The revision and the tombstones stay.
    public mutating func deleteJar(now: Timestamp) -> Int {
        var count = 0
        for store in state.stores.keys.sorted() { count += deleteStore(store, now: now) ?? 0 }
        return count
    }

    /// Drops a store's session cookies, as when a browser closes (RFC 6265bis section 5.7); answers how many
    /// there were.
    ///
    /// They are removals that stay where they happen: another store's session goes on.
    public mutating func endSession(of store: StoreID, now: Timestamp) -> Int {
        var ending: [CookieIdentity] = []
        state[store].cookies.forEach { if $0.expires == nil { ending.append($0.identity) } }
        for identity in ending {
            remove(identity, in: store, cause: .expired, travels: false, now: now)
        }
        return ending.count
    }

    /// Makes a store's session cookies persistent for so many seconds; answers how many there were.
    ///
    /// Their version stays, as the content is what it was; of two copies of it, a sync takes the persistent one.
    public mutating func promote(
        in store: StoreID, forSeconds seconds: Int64, rules: CookieRules, now: Timestamp,
        where isMeant: (Cookie) -> Bool
    ) -> Int {
        var promoted: [Cookie] = []
        state[store].cookies.forEach { cookie in
            if cookie.expires == nil, isMeant(cookie) { promoted.append(cookie) }
        }
        for var cookie in promoted {
            cookie.expires = rules.sessionEnd(afterSeconds: seconds, now: now)
            cookie.wasSession = true
            cookie.updatedAt = now
            self.store(cookie, in: store, cause: .promoted, now: now)
        }
        return promoted.count
    }

    /// Sweeps at most `limit` expired cookies out of a store; answers how many there were.
    public mutating func removeExpired(in store: StoreID, limit: Int, now: Timestamp) -> Int {
        var expired: [CookieIdentity] = []
        state[store].cookies.forEach { cookie in
            if cookie.isExpired(at: now), expired.count < limit { expired.append(cookie.identity) }
        }
        for identity in expired {
            remove(identity, in: store, cause: .expired, travels: false, now: now)
        }
        return expired.count
    }

    private mutating func carryOut(
        _ decision: StorageDecision, name: [UInt8], in store: StoreID, rules: CookieRules,
        now: Timestamp
    ) -> Verdict {
        switch decision {
        case .reject(let reason):
            return Verdict(name: name, outcome: .rejected, reason: reason)
        case .unchanged(let cookie):
            return Verdict(name: name, outcome: .unchanged, cookie: cookie)
        case .delete(let identity, let existing):
            let isDeleted = delete(identity, in: store, now: now)
            return Verdict(
                name: name, outcome: isDeleted ? .deleted : .unchanged,
                cookie: isDeleted ? existing : nil)
        case .store(let cookie, let isReplacing):
            record(
                isReplacing ? .changed(cookie) : .added(cookie),
                isReplacing ? .replaced : .inserted, in: store, now: now)
            let evicted = evict(afterStoring: cookie.identity, in: store, rules: rules, now: now)
            return Verdict(
                name: name, outcome: isReplacing ? .replaced : .stored, cookie: cookie,
                evicted: evicted)
        }
    }
}
