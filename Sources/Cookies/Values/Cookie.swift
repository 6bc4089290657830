// SPDX-License-Identifier: Apache-2.0

/// What makes two cookies of one store the same cookie (RFC 6265bis section 5.7, with the host-only
/// flag and the partition key as part of it).
public struct CookieIdentity: Hashable, Sendable {
    /// The cookie-name's octets, possibly empty.
    public let name: [UInt8]
    /// The canonical host name or address the cookie belongs to, without a leading dot.
    public let domain: [UInt8]
    /// Whether only that very host gets the cookie back.
    public let hostOnly: Bool
    /// The cookie-path; starts with `/`.
    public let path: [UInt8]
    /// The canonical top-level site of a partitioned cookie (CHIPS), such as `https://top.example`.
    public let partitionKey: [UInt8]?

    /// An identity made of its five parts, taken as they are.
    public init(
        name: [UInt8], domain: [UInt8], hostOnly: Bool, path: [UInt8], partitionKey: [UInt8]? = nil
    ) {
        self.name = name
        self.domain = domain
        self.hostOnly = hostOnly
        self.path = path
        self.partitionKey = partitionKey
    }
}

/// The SameSite enforcement of a stored cookie (RFC 6265bis section 5.6.7).
public enum SameSite: UInt8, Hashable, Sendable, CaseIterable {
    /// No valid SameSite attribute was given: "Default", which is enforced as Lax with the
    /// two-minute exception.
    case unset = 0
    /// `SameSite=None`.
    case none = 1
    /// `SameSite=Lax`.
    case lax = 2
    /// `SameSite=Strict`.
    case strict = 3
}

/// How a cookie first came into the service.
///
/// It travels with the cookie.
public enum CookieSource: UInt8, Hashable, Sendable, CaseIterable {
    /// A response's `Set-Cookie` header.
    case header = 0
    /// A script (`document.cookie`).
    case script = 1
    /// A finished cookie that a client put.
    case put = 2
    /// A file that was imported.
    case imported = 3
}

/// A cookie as it is stored.
public struct Cookie: Hashable, Sendable {
    /// Which cookie this is.
    public var identity: CookieIdentity
    /// The secret it carries.
    public var value: CookieValue
    /// Sent over secure connections only.
    public var secure: Bool
    /// Hidden from scripts.
    public var httpOnly: Bool
    /// The SameSite enforcement.
    public var sameSite: SameSite
    /// When it ends; nil for a session cookie.
    public var expires: Timestamp?
    /// The creation-time, kept when the cookie is overwritten.
    public var createdAt: Timestamp
    /// Orders cookies by creation inside a jar without trusting a clock: the revision that first
    /// stored it.
    public var creationOrder: UInt64
    /// When its content last changed.
    public var updatedAt: Timestamp
    /// The revision in which its content arose.
    ///
    /// It travels with the cookie: the newer version wins a sync.
    public var version: UInt64
    /// The last-access-time, kept to the minute; only eviction looks at it.
    public var lastAccess: Timestamp
    /// Whether a session cookie was made persistent.
    public var wasSession: Bool
    /// How it came in.
    public var source: CookieSource
    /// What a file said beside; nil for nearly every cookie.
    public var legacy: LegacyAttributes?

    /// A cookie made of its parts, taken as they are.
    public init(
        identity: CookieIdentity, value: CookieValue, secure: Bool, httpOnly: Bool,
        sameSite: SameSite, expires: Timestamp?, createdAt: Timestamp, creationOrder: UInt64,
        updatedAt: Timestamp, version: UInt64, lastAccess: Timestamp, wasSession: Bool,
        source: CookieSource, legacy: LegacyAttributes? = nil
    ) {
        self.identity = identity
        self.value = value
        self.secure = secure
        self.httpOnly = httpOnly
        self.sameSite = sameSite
        self.expires = expires
        self.createdAt = createdAt
        self.creationOrder = creationOrder
        self.updatedAt = updatedAt
        self.version = version
        self.lastAccess = lastAccess
        self.wasSession = wasSession
        self.source = source
        self.legacy = legacy
    }

    /// Whether the cookie's time has come: an expiry at `now` itself counts as past.
    public func isExpired(at now: Timestamp) -> Bool {
        guard let expires else { return false }
        return expires <= now
    }

    /// Whether the two agree in everything a client could see of them, bookkeeping times left out.
    public func hasSameContent(as other: Cookie) -> Bool {
        identity == other.identity && value == other.value && secure == other.secure
            && httpOnly == other.httpOnly && sameSite == other.sameSite && expires == other.expires
            && wasSession == other.wasSession && legacy == other.legacy
    }
}
