// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// A jar at one revision: the fold of its changes.
///
/// A value; copies share what has not been changed.
public struct JarState: Sendable {
    /// The revision of the newest change.
    public private(set) var revision: Revision
    /// When the first change was made; nil before it.
    ///
    /// Deleting the jar keeps it, like the revision.
    public private(set) var createdAt: Timestamp?
    /// Its stores by name, those included that are not present and only hold tombstones.
    public private(set) var stores: StoreTable
    /// About how many bytes of memory it takes, for the bound of a cache.
    ///
    /// Complexity: O(1).
    public private(set) var footprint: Int

    /// A jar that does not exist.
    public static let empty = JarState(revision: .zero, createdAt: nil)

    /// A jar without stores, for an engine that loads one with `restore` and `apply`.
    public init(revision: Revision, createdAt: Timestamp?) {
        self.revision = revision
        self.createdAt = createdAt
        stores = StoreTable()
        footprint = Footprint.jar
    }

    /// Whether it exists for clients: whether any of its stores does.
    public var isPresent: Bool { stores.entries.contains { $0.state.isPresent } }

    /// The store of that name; an absent one when nobody has written to it.
    public subscript(store: StoreID) -> StoreState { stores.find(store)?.state ?? .absent }

    /// Goes on by one change, which must be a later one.
    ///
    /// Complexity: that of one update of a `CookieStore`.
    public mutating func apply(_ change: Change) {
        precondition(change.revision > revision, "changes are applied in order")
        revision = change.revision
        createdAt = createdAt ?? change.at
        switch change.content {
        case .added(let cookie), .changed(let cookie):
            update(change.store) { store, freed in
                freed += store.file(cookie)
                store.isPresent = true
            }
        case .removed(let identity, let tombstone, _):
            drop(identity, in: change.store)
            restore(tombstone, of: identity, in: change.store)
        case .configured(let settings):
            restore(settings, isPresent: true, of: change.store)
        case .storeDeleted:
            restore(StoreSettings(), isPresent: false, of: change.store)
        }
    }

    /// Files a cookie as an engine kept it, without a change.
    ///
    /// A tombstone that was meant stays beside a cookie that is newer: when the cookie expires, copies from
    /// before the deletion must still not come back.
    public mutating func restore(_ cookie: Cookie, in store: StoreID) {
        update(store) { $1 += $0.file(cookie) }
    }

    /// Files cookies of a store, as the other `restore` does, of which none is there yet.
    ///
    /// Complexity: O(n log n); one by one it would be the square of each domain's.
    public mutating func restore(_ cookies: [Cookie], in store: StoreID) {
        update(store) { store, freed in
            store.cookies.insert(contentsOf: cookies)
            for cookie in cookies { freed += store.supersedeTombstone(by: cookie) }
        }
    }

    /// Files a tombstone as an engine kept it, without a change.
    ///
    /// One that was meant gives way only to a newer one that was meant as well.
    public mutating func restore(
        _ tombstone: Tombstone, of identity: CookieIdentity, in store: StoreID
    ) {
        let standing = self[store].tombstones[identity]
        if let standing, standing.travels {
            guard tombstone.travels, tombstone.revision > standing.revision else { return }
        }
        stores.update(store) { $0.tombstones[identity] = tombstone }
        if standing == nil { footprint += Footprint.tombstone(identity) }
    }

    /// Files a store's settings and presence as an engine kept them, without a change.
    public mutating func restore(
        _ settings: StoreSettings, isPresent: Bool, of store: StoreID
    ) {
        stores.update(store) {
            $0.settings = settings
            $0.isPresent = isPresent
        }
    }

    private mutating func drop(_ identity: CookieIdentity, in store: StoreID) {
        guard stores[store] != nil else { return }
        update(store) { store, _ in store.cookies.remove(identity) }
    }

    /// Changes a store; the closure adds what it has freed beside the cookies.
    private mutating func update(
        _ store: StoreID, _ body: (inout StoreState, _ freed: inout Int) -> Void
    ) {
        var growth = 0
        stores.update(store) { state in
            let before = state.cookies.footprint
            var freed = 0
            body(&state, &freed)
            growth = state.cookies.footprint - before - freed
        }
        footprint += growth
    }
}

extension StoreState {
    /// Files a cookie; answers how many bytes that frees beside the cookies.
    fileprivate mutating func file(_ cookie: Cookie) -> Int {
        cookies.upsert(cookie)
        return supersedeTombstone(by: cookie)
    }

    /// Drops the tombstone that a cookie takes the place of; answers how many bytes that frees.
    fileprivate mutating func supersedeTombstone(by cookie: Cookie) -> Int {
        // Nearly every store, and no identity is hashed for it.
        guard !tombstones.isEmpty, let tombstone = tombstones[cookie.identity],
            !tombstone.travels || tombstone.isNewer(than: cookie)
        else { return 0 }
        tombstones[cookie.identity] = nil
        return Footprint.tombstone(cookie.identity)
    }
}

/// Estimates of memory, with what the containers add.
private enum Footprint {
    static let jar = 512

    static func tombstone(_ identity: CookieIdentity) -> Int {
        160 + identity.name.count + identity.domain.count + identity.path.count
            + (identity.partitionKey?.count ?? 0)
    }
}
