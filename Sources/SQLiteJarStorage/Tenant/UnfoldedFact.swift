// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What a row of the log is about, as far as folding has to know without reading it.
enum UnfoldedFact {
    struct Cookie {
        let identity: CookieIdentity
        let hash: UInt64
        /// Whether the store had no such cookie.
        let isNew: Bool
        /// Whether the row has no effect of its own when another one of the cookie follows.
        ///
        /// Nearly every one. Its effect would be that of the row that follows, but for one thing: a cookie older than a
        /// tombstone that was meant drops it. So one whose content arose elsewhere is none of these; any other is newer
        /// than every tombstone before it.
        let isPlain: Bool
        /// About how many octets it holds.
        let octets: Int
    }

    case cookie(Cookie)
    case configured
    case storeDeleted

    init(_ change: borrowing Change) {
        switch change.content {
        case .added(let cookie), .changed(let cookie):
            self.init(
                cookie.identity, in: change.store,
                kind: change.kind == .added ? .added : .changed,
                isPlain: cookie.version == change.revision.rawValue,
                valueOctets: cookie.value.bytes.count)
        case .removed(let identity, _, let isSilent):
            self.init(
                identity, in: change.store, kind: isSilent ? .buried : .removed, isPlain: false,
                valueOctets: 0)
        case .configured: self = .configured
        case .storeDeleted: self = .storeDeleted
        }
    }

    init(
        _ identity: CookieIdentity, in store: StoreID, kind: ChangeRowKind, isPlain: Bool,
        valueOctets: Int
    ) {
        self = .cookie(
            Cookie(
                identity: identity, hash: Self.hash(identity, store), isNew: kind == .added,
                isPlain: isPlain, octets: Self.rowOctets + valueOctets))
    }

    /// What a row takes beside its value.
    private static let rowOctets = 128

    private static func hash(_ identity: CookieIdentity, _ store: StoreID) -> UInt64 {
        let scope = Self.hash(identity.partitionKey ?? [], after: identity.hostOnly ? 1 : 0)
        let place = Self.hash(identity.path, after: Self.hash(store.bytes, after: scope))
        return Self.hash(identity.name, after: Self.hash(identity.domain, after: place))
    }

    private static func hash(_ octets: [UInt8], after start: UInt64 = 0) -> UInt64 {
        octets.withUnsafeBufferPointer { TableHash.shared($0, after: start) }
    }
}
