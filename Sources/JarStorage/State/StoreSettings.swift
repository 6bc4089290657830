// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What a store takes in (design section 2.6).
///
/// The raw value is the one that is stored.
public enum AcceptPolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// Every cookie that the rules allow.
    case always = 0
    /// None.
    case never = 1
    /// Those of the site that the main document belongs to.
    case onlyFromMainDocument = 2

    /// Whether a store takes what a response sets, deletions included.
    ///
    /// The same site is the same registrable domain; an address is of its own site only.
    func accepts(_ context: ResponseContext, rules: CookieRules) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .onlyFromMainDocument:
            guard let page = context.mainDocument else { return false }
            return rules.site(of: page.bytes) == rules.site(of: context.url.host.bytes)
        }
    }
}

/// The settings of a store.
public struct StoreSettings: Hashable, Sendable {
    /// What it takes in.
    public var acceptPolicy: AcceptPolicy
    /// How it finds cookies.
    public var matching: HostMatching
    /// For how many seconds a session cookie is made persistent; nil leaves it a session cookie.
    public var sessionLifetimeSeconds: Int64?

    /// Settings, by default those of a store that nobody has configured.
    public init(
        acceptPolicy: AcceptPolicy = .always, matching: HostMatching = .rfc6265,
        sessionLifetimeSeconds: Int64? = nil
    ) {
        self.acceptPolicy = acceptPolicy
        self.matching = matching
        self.sessionLifetimeSeconds = sessionLifetimeSeconds
    }

    /// When a session cookie ends that the store takes now; nil when it stays one.
    func sessionEnd(rules: CookieRules, now: Timestamp) -> Timestamp? {
        sessionLifetimeSeconds.map { rules.sessionEnd(afterSeconds: $0, now: now) }
    }
}
