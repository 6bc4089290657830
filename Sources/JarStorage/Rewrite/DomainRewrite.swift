// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// A request to file the cookies of an address, or of a host, under another host (design section 2.5).
public struct DomainRewrite: Sendable {
    /// The store.
    public var store: StoreID
    /// Whose cookies.
    public var from: Host
    /// The host that they belong to.
    public var to: Host
    /// Whether the hosts below it get them too; else they become host-only.
    public var domainWide: Bool

    /// A request made of its parts.
    public init(store: StoreID, from: Host, to: Host, domainWide: Bool = false) {
        self.store = store
        self.from = from
        self.to = to
        self.domainWide = domainWide
    }
}

/// What a rewrite did to one cookie.
public struct RewriteResult: Hashable, Sendable {
    /// The ways it can end.
    ///
    /// The raw value is the action's name in the API.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// It is filed under the host now.
        case rewritten
        /// The host has that cookie in a newer version, or a newer deletion of it: that stays, this one is gone.
        case superseded
        /// A rule would no longer hold: it is where it was.
        case rejected
    }

    /// The cookie as it was.
    public let identity: CookieIdentity
    /// What it is, or would be, under the host.
    public let target: CookieIdentity
    /// How it ended.
    public let action: Action
    /// The rule that would no longer hold.
    public let reason: CookieRejection?
    /// Whether it took the place of an older cookie of the host.
    public let replacedOlder: Bool

    /// A result made of its parts.
    public init(
        identity: CookieIdentity, target: CookieIdentity, action: Action,
        reason: CookieRejection? = nil, replacedOlder: Bool = false
    ) {
        self.identity = identity
        self.target = target
        self.action = action
        self.reason = reason
        self.replacedOlder = replacedOlder
    }
}

/// What a rewrite did, cookie by cookie.
public struct RewriteReport: Hashable, Sendable {
    /// One line for each cookie of the address.
    public internal(set) var results: [RewriteResult] = []
    /// The cookies that had to make room under the host.
    public internal(set) var evicted: [CookieIdentity] = []

    /// A rewrite that found nothing.
    public init() {}

    /// How many cookies are filed under the host now.
    public var rewritten: Int { results.count { $0.action == .rewritten } }
    /// How many gave way to what the host had.
    public var superseded: Int { results.count { $0.action == .superseded } }
    /// How many were refused.
    public var rejected: Int { results.count { $0.action == .rejected } }
}
