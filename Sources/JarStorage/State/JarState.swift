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
    public private(set) var stores: [StoreID: StoreState]
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
        stores = [:]
        footprint = Footprint.jar
    }

    /// Whether it exists for clients: whether any of its stores does.
    public var isPresent: Bool { stores.contains { $0.value.isPresent } }

    /// The store of that name; an absent one when nobody has written to it.
    public subscript(store: StoreID) -> StoreState { stores[store] ?? .absent }

    /// Goes on by one change, which must be a later one.
    ///
    /// Complexity: that of one update of a `CookieStore`.
    public mutating func apply(_ change: Change) {
        precondition(change.revision > revision, "changes are applied in order")
        revision = change.revision
        createdAt = createdAt ?? change.at
        switch change.content {
        case .added(let cookie), .changed(let cookie):
            restore(cookie, in: change.store)
            stores[change.store, default: .absent].isPresent = true
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
        change(store) { _ = $0.upsert(cookie) }
        supersedeTombstone(by: cookie, in: store)
    }

    /// Files cookies of a store, as the other `restore` does, of which none is there yet.
    ///
    /// Complexity: O(n log n); one by one it would be the square of each domain's.
    public mutating func restore(_ cookies: [Cookie], in store: StoreID) {
        change(store) { $0.insert(contentsOf: cookies) }
        for cookie in cookies { supersedeTombstone(by: cookie, in: store) }
    }

    private mutating func supersedeTombstone(by cookie: Cookie, in store: StoreID) {
        guard let tombstone = stores[store]?.tombstones[cookie.identity],
            !tombstone.travels || tombstone.isNewer(than: cookie)
        else { return }
        stores[store]?.tombstones[cookie.identity] = nil
        footprint -= Footprint.tombstone(cookie.identity)
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
        stores[store, default: .absent].tombstones[identity] = tombstone
        if standing == nil { footprint += Footprint.tombstone(identity) }
    }

    /// Files a store's settings and presence as an engine kept them, without a change.
    public mutating func restore(
        _ settings: StoreSettings, isPresent: Bool, of store: StoreID
    ) {
        stores[store, default: .absent].settings = settings
        stores[store, default: .absent].isPresent = isPresent
    }

    private mutating func drop(_ identity: CookieIdentity, in store: StoreID) {
        guard stores[store] != nil else { return }
        change(store) { $0.remove(identity) }
    }

    private mutating func change(_ store: StoreID, _ body: (inout CookieStore) -> Void) {
        footprint -= stores[store]?.cookies.footprint ?? 0
        body(&stores[store, default: .absent].cookies)
        footprint += stores[store]?.cookies.footprint ?? 0
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
