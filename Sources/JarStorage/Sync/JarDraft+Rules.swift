// SPDX-License-Identifier: Apache-2.0

// Standing syncs (design section 2.4): after a write, what it did to a store is done by the rules to the others, in the
// same transaction. What the rules do is looked at in turn, so a change goes as far as they lead.
//
// Only the cookies are looked at that a write has set, or deleted because somebody meant it: what expires, is evicted
// or ends with a session stays where it happens, and the cost of a write does not grow with the jar.

public import Cookies

extension JarDraft {
    /// Does to other stores what the tenant's rules ask for after the changes so far.
    ///
    /// Complexity: O(rules · cookies that were changed); nothing without rules or changes.
    public mutating func applySyncRules(_ cookieRules: CookieRules, now: Timestamp) {
        guard !tenant.syncRules.isEmpty else { return }
        var seen = 0
        var rounds = 0
        while seen < changes.count, rounds < Self.maximumRounds {
            let news = words(in: changes[seen...])
            seen = changes.count
            rounds += 1
            for (store, identities) in news {
                for rule in tenant.syncRules {
                    apply(rule, after: identities, in: store, cookieRules, now)
                }
            }
        }
    }

    /// Does a rule's whole sync in this jar, for one that was there before the rule.
    public mutating func apply(_ rule: SyncRule, _ cookieRules: CookieRules, now: Timestamp) {
        for store in rule.from.stores(in: state) where store != rule.to {
            let isReversed = state.stores[store] == nil && rule.mode == .twoWay
            _ = sync(
                isReversed ? rule.request(back: store) : rule.request(from: store),
                rules: cookieRules, now: now)
        }
    }

    /// Each round brings the newest word on a cookie one store further, so the rules come to rest within as many rounds
    /// as there are stores; the bound is for rules that contradict each other.
    private static let maximumRounds = 64

    /// The cookies that were set, or deleted on purpose, by store, in the order of their first change.
    private func words(
        in changes: ArraySlice<Change>
    ) -> [(store: StoreID, identities: [CookieIdentity])] {
        var words: [(store: StoreID, identities: [CookieIdentity])] = []
        for change in changes {
            let identity: CookieIdentity
            switch change.content {
            case .added(let cookie), .changed(let cookie): identity = cookie.identity
            case .removed(let removed, let tombstone, _) where tombstone.travels:
                identity = removed
            case .removed, .configured, .storeDeleted: continue
            }
            if let place = words.firstIndex(where: { $0.store == change.store }) {
                words[place].identities.append(identity)
            } else {
                words.append((change.store, [identity]))
            }
        }
        return words.map { ($0.store, Self.unique($0.identities)) }
    }

    private static func unique(_ identities: [CookieIdentity]) -> [CookieIdentity] {
        guard identities.count > 1 else { return identities }
        var seen: Set<CookieIdentity> = []
        return identities.filter { seen.insert($0).inserted }
    }

    private mutating func apply(
        _ rule: SyncRule, after identities: [CookieIdentity], in store: StoreID,
        _ cookieRules: CookieRules, _ now: Timestamp
    ) {
        if store != rule.to {
            guard rule.from.matches(store) else { return }
            sync(rule.request(from: store), after: identities, cookieRules, now)
        } else if rule.mode == .twoWay {
            for other in rule.from.stores(in: state) where other != store {
                sync(rule.request(back: other), after: identities, cookieRules, now)
            }
        }
    }

    private mutating func sync(
        _ request: SyncRequest, after identities: [CookieIdentity], _ cookieRules: CookieRules,
        _ now: Timestamp
    ) {
        // A store that nobody has written to gets everything at once, so that it never begins with a part.
        guard state.stores[request.to] != nil else {
            _ = sync(request, rules: cookieRules, now: now)
            return
        }
        let included = identities.filter(request.filter.includes)
        guard !included.isEmpty else { return }
        _ = sync(request, only: included, rules: cookieRules, now: now)
    }
}

extension SyncRule {
    /// The sync that the rule asks for after a write to that store.
    func request(from store: StoreID) -> SyncRequest {
        SyncRequest(from: store, to: to, mode: mode, filter: filter)
    }

    /// The same sync, which must be a two-way one, after a write to its other end.
    func request(back store: StoreID) -> SyncRequest {
        SyncRequest(from: to, to: store, mode: mode, filter: filter)
    }
}

extension StorePattern {
    /// The stores of a jar that are meant, a single one also when it is not there yet.
    func stores(in state: JarState) -> [StoreID] {
        if let single { return [single] }
        return state.stores.keys.filter(matches).sorted()
    }

    private var single: StoreID? { StoreID(text) }
}
