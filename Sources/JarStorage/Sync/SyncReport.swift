// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What a sync did to one cookie in one store.
///
/// The raw value is the action's name in the API.
public enum SyncAction: String, Hashable, Sendable, CaseIterable {
    /// The store has it now, and had none.
    case added
    /// The store has the other end's copy now.
    case updated
    /// The store has it no more.
    case deleted
    /// The store had to drop it to make room.
    case evicted
    /// Nothing.
    case unchanged
}

/// Why a sync did so.
///
/// The raw value is the reason's name in the API.
public enum SyncReason: String, Hashable, Sendable, CaseIterable {
    /// The store had no such cookie.
    case missing
    /// The other copy's version is newer.
    case newer
    /// A mirror takes whatever the source has, or has not.
    case mirrored
    /// A deletion that someone meant is newer than the copy.
    case deletedLater = "deleted-later"
    /// Both ends have the same.
    case same
    /// The store's own copy is the newer one.
    case older
    /// Only this end has it.
    case onlyHere = "only-here"
    /// It had to make room here before.
    case evictedBefore = "evicted-before"
    /// The limits of the store.
    case limit
}

/// What a sync did to one cookie in one store.
public struct SyncResult: Hashable, Sendable {
    /// The store.
    public let store: StoreID
    /// The cookie.
    public let identity: CookieIdentity
    /// What was done.
    public let action: SyncAction
    /// Why.
    public let reason: SyncReason

    /// A result made of its parts.
    public init(store: StoreID, identity: CookieIdentity, action: SyncAction, reason: SyncReason) {
        self.store = store
        self.identity = identity
        self.action = action
        self.reason = reason
    }
}

/// What a sync did.
///
/// A cookie that is the same at both ends counts once.
public struct SyncReport: Hashable, Sendable {
    /// One line for each cookie and each store that it was changed in; one for a cookie that was left alone.
    public private(set) var results: [SyncResult] = []

    /// A sync that looked at nothing.
    public init() {}

    /// How often that was done.
    public func count(of action: SyncAction) -> Int {
        results.count { $0.action == action }
    }

    /// How many cookies a store has that it had not.
    public var added: Int { count(of: .added) }
    /// How many cookies were overwritten.
    public var updated: Int { count(of: .updated) }
    /// How many cookies were deleted.
    public var deleted: Int { count(of: .deleted) }
    /// How many cookies were left alone.
    public var unchanged: Int { count(of: .unchanged) }

    mutating func append(_ result: SyncResult) { results.append(result) }
}
