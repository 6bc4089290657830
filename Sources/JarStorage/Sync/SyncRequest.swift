// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// How two stores are brought in step (design section 2.4).
///
/// The raw value is the mode's name in the API.
public enum SyncMode: String, Hashable, Sendable, CaseIterable {
    /// What is newer in `from` goes to `to`, deletions included; what only `to` has stays.
    case merge
    /// `to` ends exactly as `from`.
    case mirror
    /// Both ends become what is newest in either.
    case twoWay = "two-way"
}

/// Which cookies a sync looks at.
///
/// Members that are given must all hold; a list holds if one of it does.
public struct SyncFilter: Hashable, Sendable {
    /// Only cookies whose domain and path cover this URL.
    public var url: CookieURL?
    /// Only cookies of exactly one of these canonical domains; empty means any.
    public var domains: [[UInt8]]
    /// Only cookies with one of these names; empty means any.
    public var names: [[UInt8]]

    /// A filter, by default one that lets everything pass.
    public init(url: CookieURL? = nil, domains: [[UInt8]] = [], names: [[UInt8]] = []) {
        self.url = url
        self.domains = domains
        self.names = names
    }

    /// Whether a sync looks at that cookie.
    public func includes(_ identity: CookieIdentity) -> Bool {
        if let url, !CookieStore.isInScope(identity, of: url) { return false }
        guard domains.isEmpty || domains.contains(identity.domain) else { return false }
        return names.isEmpty || names.contains(identity.name)
    }
}

/// A sync of one store to another of the same jar.
public struct SyncRequest: Sendable {
    /// Where from.
    public var from: StoreID
    /// Where to.
    public var to: StoreID
    /// How.
    public var mode: SyncMode
    /// Which cookies.
    public var filter: SyncFilter

    /// A sync, by default a merge of everything.
    public init(
        from: StoreID, to: StoreID, mode: SyncMode = .merge, filter: SyncFilter = SyncFilter()
    ) {
        self.from = from
        self.to = to
        self.mode = mode
        self.filter = filter
    }
}
