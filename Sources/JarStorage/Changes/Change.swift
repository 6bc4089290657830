// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What brought a change about.
///
/// The raw value is the one that is stored.
public enum ChangeCause: UInt8, Hashable, Sendable, CaseIterable {
    /// A cookie that was not there was stored.
    case inserted = 1
    /// A cookie was overwritten.
    case replaced = 2
    /// Someone deleted it, or a server did with an expired Set-Cookie.
    case deleted = 3
    /// Its time came.
    case expired = 4
    /// It had to make room.
    case evicted = 5
    /// It was filed under another host.
    case rewritten = 6
    /// It came, or went, with a sync.
    case synced = 7
    /// A session cookie was made persistent.
    case promoted = 8
}

/// What happened to a cookie, as the change feed says it.
public enum ChangeKind: String, Hashable, Sendable, CaseIterable {
    /// It was not there before.
    case added
    /// It was there with other content.
    case changed
    /// It is gone.
    case removed
}

/// What a change does to a store.
public enum ChangeContent: Hashable, Sendable {
    /// The store holds this cookie now, and had none of that identity that was alive.
    case added(Cookie)
    /// The store holds this cookie now, in place of another one.
    case changed(Cookie)
    /// The store holds no such cookie any more; `isSilent` when it never did, which is no event.
    case removed(CookieIdentity, Tombstone, isSilent: Bool)
    /// The store has these settings now.
    case configured(StoreSettings)
    /// The store is gone; removals of its cookies came before.
    case storeDeleted
}

/// One step of a jar's history.
///
/// A jar's state is the fold of its changes (`JarState.apply`).
public struct Change: Hashable, Sendable {
    /// The jar's revision after this change.
    public let revision: Revision
    /// When it happened.
    public let at: Timestamp
    /// The store it concerns.
    public let store: StoreID
    /// What brought it about.
    public let cause: ChangeCause
    /// What it does.
    public let content: ChangeContent

    /// A change made of its parts.
    public init(
        revision: Revision, at: Timestamp, store: StoreID, cause: ChangeCause,
        content: ChangeContent
    ) {
        self.revision = revision
        self.at = at
        self.store = store
        self.cause = cause
        self.content = content
    }

    /// What happened to a cookie; nil when the change is none that followers of the feed are told of.
    public var kind: ChangeKind? {
        switch content {
        case .added: .added
        case .changed: .changed
        case .removed(_, _, let isSilent): isSilent ? nil : .removed
        case .configured, .storeDeleted: nil
        }
    }

    /// Whether it is the tombstone of what the store never had.
    public var isSilent: Bool {
        if case .removed(_, _, isSilent: true) = content { return true }
        return false
    }
}
