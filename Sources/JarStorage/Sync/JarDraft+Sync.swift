// SPDX-License-Identifier: Apache-2.0

public import Cookies

extension JarDraft {
    /// Brings two stores in step (design section 2.4).
    ///
    /// Nothing happens when nobody has ever written to `from`, when a mirror's `from` is not present (a
    /// mirror never wipes by accident), or when both ends are one store.
    public mutating func sync(
        _ request: SyncRequest, rules: CookieRules, now: Timestamp
    ) -> SyncReport {
        guard request.from != request.to, let from = state.stores[request.from],
            request.mode != .mirror || from.isPresent
        else { return SyncReport() }
        return sync(request, only: syncScope(request, now: now), rules: rules, now: now)
    }

    /// Brings these cookies of two stores in step; each is named once.
    mutating func sync(
        _ request: SyncRequest, only identities: [CookieIdentity], rules: CookieRules,
        now: Timestamp
    ) -> SyncReport {
        var report = SyncReport()
        var stored: [CookieIdentity] = []
        for identity in identities {
            let steps = SyncDecision.decide(
                request.mode, from: side(of: identity, in: request.from, now: now),
                to: side(of: identity, in: request.to, now: now))
            let ends = [(request.from, steps.from), (request.to, steps.to)]
            var kept: SyncResult?
            var isChanged = false
            for (store, step) in ends {
                let result = take(step, of: identity, in: store, now: now)
                guard let result else { continue }
                if result.action == .unchanged {
                    kept = result
                } else {
                    report.append(result)
                    isChanged = true
                    if result.action != .deleted { stored.append(identity) }
                }
            }
            if let kept, !isChanged { report.append(kept) }
        }
        for store in request.mode == .twoWay ? [request.from, request.to] : [request.to] {
            makeRoom(after: stored, in: store, rules: rules, now: now, &report)
        }
        return report
    }

    /// The cookies that either end has, each once and always in the same order; then those that neither has, but of
    /// which a deletion passes through to a store that is neither end.
    private func syncScope(_ request: SyncRequest, now: Timestamp) -> [CookieIdentity] {
        var identities: [CookieIdentity] = []
        for store in [request.from, request.to] {
            let isSecond = store == request.to
            state[store].cookies.forEach { cookie in
                guard !cookie.isExpired(at: now), request.filter.includes(cookie.identity),
                    !isSecond
                        || state[request.from].liveCookie(cookie.identity, at: now) == nil
                else { return }
                identities.append(cookie.identity)
            }
        }
        return identities + passingDeletions(request, now: now)
    }

    private func passingDeletions(_ request: SyncRequest, now: Timestamp) -> [CookieIdentity] {
        // Whom should it reach? Without a third store nobody.
        guard state.stores.count > 2 else { return [] }
        let sources = request.mode == .twoWay ? [request.from, request.to] : [request.from]
        var identities: Set<CookieIdentity> = []
        for store in sources {
            for (identity, tombstone) in state[store].tombstones
            where tombstone.travels && request.filter.includes(identity)
                && state[request.from].liveCookie(identity, at: now) == nil
                && state[request.to].liveCookie(identity, at: now) == nil
                && isNeeded(tombstone, against: identity, now: now)
            {
                identities.insert(identity)
            }
        }
        return identities.sorted(by: Self.precedes)
    }

    private func side(of identity: CookieIdentity, in store: StoreID, now: Timestamp) -> SyncSide {
        let content = state[store]
        let live = content.liveCookie(identity, at: now)
        return SyncSide(
            live: live, tombstone: content.tombstones[identity],
            isExpired: live == nil && content.cookies[identity] != nil)
    }

    /// Carries out one step; nil when there is nothing to tell.
    private mutating func take(
        _ step: SyncStep, of identity: CookieIdentity, in store: StoreID, now: Timestamp
    ) -> SyncResult? {
        func result(_ action: SyncAction, _ reason: SyncReason) -> SyncResult {
            SyncResult(store: store, identity: identity, action: action, reason: reason)
        }
        switch step {
        case .keep(let reason):
            return reason.map { result(.unchanged, $0) }
        case .take(let cookie, let reason):
            let isThere = state[store].liveCookie(identity, at: now) != nil
            self.store(cookie, in: store, cause: .synced, now: now)
            return result(isThere ? .updated : .added, reason)
        case .bury(let deletion):
            bury(identity, in: store, origin: deletion.revision, cause: .synced, now: now)
            return nil
        case .drop(let origin, let travels, let reason):
            remove(
                identity, in: store, cause: .synced, travels: travels, origin: origin, now: now)
            return result(.deleted, reason)
        }
    }

    /// Evicts after a sync, asking the limits once for each domain and partition that got cookies.
    ///
    /// The cookie that is asked for, which is spared, is the same at both ends and whichever way the sync was
    /// called.
    private mutating func makeRoom(
        after stored: [CookieIdentity], in store: StoreID, rules: CookieRules, now: Timestamp,
        _ report: inout SyncReport
    ) {
        struct Place: Hashable {
            let domain: [UInt8]
            let partitionKey: [UInt8]?
        }
        var seen: Set<Place> = []
        let places = stored.sorted(by: Self.precedes).filter {
            seen.insert(Place(domain: $0.domain, partitionKey: $0.partitionKey)).inserted
        }
        for identity in evict(afterStoring: places, in: store, rules: rules, now: now) {
            report.append(
                SyncResult(store: store, identity: identity, action: .evicted, reason: .limit))
        }
    }

    private static func precedes(_ left: CookieIdentity, _ right: CookieIdentity) -> Bool {
        func key(_ identity: CookieIdentity) -> [[UInt8]] {
            [
                identity.domain, identity.name, identity.path, [identity.hostOnly ? 1 : 0],
                identity.partitionKey ?? [],
            ]
        }
        for (first, second) in zip(key(left), key(right)) where first != second {
            return first.lexicographicallyPrecedes(second)
        }
        return false
    }
}
