// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// A working copy of a jar that records what is done to it.
///
/// Each change takes the jar's next revision; what changes nothing records nothing. An expired cookie that
/// has not been swept yet counts as not there: storing over it adds, deleting it finds nothing, and both
/// clear it away. Nothing here sweeps but `removeExpired`.
public struct JarDraft: Sendable {
    /// The jar as it was.
    public let base: JarState
    /// The records of the jar's tenant, as they are at this point of the order of its writes.
    public let tenant: TenantState
    /// The jar as it is with the changes.
    public private(set) var state: JarState
    /// What has been done, in order.
    public private(set) var changes: [Change] = []

    /// A draft of that jar, of a tenant with those records.
    public init(_ base: JarState, tenant: TenantState = .empty) {
        self.base = base
        self.tenant = tenant
        state = base
    }

    /// Forgets every change.
    public mutating func discard() {
        state = base
        changes = []
    }

    /// Sets a store up; false when it is so already.
    public mutating func configure(
        _ store: StoreID, as settings: StoreSettings, now: Timestamp
    ) -> Bool {
        guard state[store].settings != settings || !state[store].isPresent else { return false }
        record(.configured(settings), .replaced, in: store, now: now)
        return true
    }
}

// What the operations are made of.
extension JarDraft {
    mutating func record(
        _ content: ChangeContent, _ cause: ChangeCause, in store: StoreID, now: Timestamp
    ) {
        let change = Change(
            revision: state.revision.next, at: now, store: store, cause: cause, content: content)
        state.apply(change)
        changes.append(change)
    }

    /// Stores a cookie as it is.
    mutating func store(
        _ cookie: Cookie, in store: StoreID, cause: ChangeCause, now: Timestamp
    ) {
        let isThere = state[store].hasLive(cookie.identity, at: now)
        record(isThere ? .changed(cookie) : .added(cookie), cause, in: store, now: now)
    }

    /// Removes a cookie that is there, by a deletion that arises now or arose in `origin`.
    mutating func remove(
        _ identity: CookieIdentity, in store: StoreID, cause: ChangeCause, travels: Bool,
        origin: Revision? = nil, now: Timestamp
    ) {
        let tombstone = Tombstone(
            revision: origin ?? state.revision.next, at: now, cause: cause, travels: travels)
        record(.removed(identity, tombstone, isSilent: false), cause, in: store, now: now)
    }

    /// Writes down the deletion of a cookie that the store does not have, by a deletion that arises now or arose in
    /// `origin`, if another store has a copy that it is to win over.
    ///
    /// Without one it would be of no use: whatever comes later is newer.
    mutating func bury(
        _ identity: CookieIdentity, in store: StoreID, origin: Revision? = nil,
        cause: ChangeCause = .deleted, now: Timestamp
    ) {
        let tombstone = Tombstone(
            revision: origin ?? state.revision.next, at: now, cause: cause, travels: true)
        let standing = state[store].tombstones[identity].flatMap { $0.travels ? $0 : nil }
        guard isNeeded(tombstone, beyond: standing, against: identity, now: now) else { return }
        record(.removed(identity, tombstone, isSilent: true), cause, in: store, now: now)
    }

    /// Whether a store has a copy that a deletion wins over, and that one from before does not.
    func isNeeded(
        _ tombstone: Tombstone, beyond standing: Tombstone? = nil,
        against identity: CookieIdentity, now: Timestamp
    ) -> Bool {
        state.stores.contains { _, content in
            guard let copy = content.liveCookie(identity, at: now) else { return false }
            return tombstone.isNewer(than: copy) && !(standing?.isNewer(than: copy) ?? false)
        }
    }

    /// Makes room as the limits ask after these were stored; answers what went, expired cookies left out.
    mutating func evict(
        afterStoring identities: [CookieIdentity], in store: StoreID, rules: CookieRules,
        now: Timestamp
    ) -> [CookieIdentity] {
        var evicted: [CookieIdentity] = []
        for identity in identities {
            evicted += evict(afterStoring: identity, in: store, rules: rules, now: now)
        }
        return evicted
    }

    /// The same after one was stored.
    mutating func evict(
        afterStoring identity: CookieIdentity, in store: StoreID, rules: CookieRules,
        now: Timestamp
    ) -> [CookieIdentity] {
        let victims =
            state.stores[store]?.cookies.evictions(
                afterStoring: identity, rules: rules, now: now) ?? []
        var evicted: [CookieIdentity] = []
        for victim in victims {
            let isLive = state[store].hasLive(victim, at: now)
            remove(
                victim, in: store, cause: isLive ? .evicted : .expired, travels: false, now: now)
            if isLive { evicted.append(victim) }
        }
        return evicted
    }
}
