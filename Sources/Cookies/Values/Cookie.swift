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
///
/// A value whose parts lie in one object that never changes: on its way from a line to the disk, the answer and memory a
/// cookie is copied a dozen times, and each copy takes one reference where it would take one for each part.
public struct Cookie: Hashable, Sendable {
    @usableFromInline final class Parts: Sendable {
        @usableFromInline let content: Content

        init(_ content: Content) { self.content = content }
    }

    @usableFromInline struct Content: Hashable, Sendable {
        @usableFromInline var identity: CookieIdentity
        @usableFromInline var value: CookieValue
        @usableFromInline var secure: Bool
        @usableFromInline var httpOnly: Bool
        @usableFromInline var sameSite: SameSite
        @usableFromInline var expires: Timestamp?
        @usableFromInline var createdAt: Timestamp
        @usableFromInline var creationOrder: UInt64
        @usableFromInline var updatedAt: Timestamp
        @usableFromInline var version: UInt64
        @usableFromInline var lastAccess: Timestamp
        @usableFromInline var wasSession: Bool
        @usableFromInline var source: CookieSource
        @usableFromInline var legacy: LegacyAttributes?
    }

    @usableFromInline var parts: Parts

    @usableFromInline mutating func change(_ body: (inout Content) -> Void) {
        var content = parts.content
        body(&content)
        parts = Parts(content)
    }

    /// Whether two cookies agree in every part.
    public static func == (left: Cookie, right: Cookie) -> Bool {
        left.parts === right.parts || left.parts.content == right.parts.content
    }

    /// Takes every part in.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts.content) }

    /// Which cookie this is.
    @inlinable public var identity: CookieIdentity {
        get { parts.content.identity }
        set { change { $0.identity = newValue } }
    }

    /// The secret it carries.
    @inlinable public var value: CookieValue {
        get { parts.content.value }
        set { change { $0.value = newValue } }
    }

    /// Sent over secure connections only.
    @inlinable public var secure: Bool {
        get { parts.content.secure }
        set { change { $0.secure = newValue } }
    }

    /// Hidden from scripts.
    @inlinable public var httpOnly: Bool {
        get { parts.content.httpOnly }
        set { change { $0.httpOnly = newValue } }
    }

    /// The SameSite enforcement.
    @inlinable public var sameSite: SameSite {
        get { parts.content.sameSite }
        set { change { $0.sameSite = newValue } }
    }

    /// When it ends; nil for a session cookie.
    @inlinable public var expires: Timestamp? {
        get { parts.content.expires }
        set { change { $0.expires = newValue } }
    }

    /// The creation-time, kept when the cookie is overwritten.
    @inlinable public var createdAt: Timestamp {
        get { parts.content.createdAt }
        set { change { $0.createdAt = newValue } }
    }

    /// Orders cookies by creation inside a jar without trusting a clock: the revision that first
    /// stored it.
    @inlinable public var creationOrder: UInt64 {
        get { parts.content.creationOrder }
        set { change { $0.creationOrder = newValue } }
    }

    /// When its content last changed.
    @inlinable public var updatedAt: Timestamp {
        get { parts.content.updatedAt }
        set { change { $0.updatedAt = newValue } }
    }

    /// The revision in which its content arose.
    ///
    /// It travels with the cookie: the newer version wins a sync.
    @inlinable public var version: UInt64 {
        get { parts.content.version }
        set { change { $0.version = newValue } }
    }

    /// The last-access-time, kept to the minute; only eviction looks at it.
    @inlinable public var lastAccess: Timestamp {
        get { parts.content.lastAccess }
        set { change { $0.lastAccess = newValue } }
    }

    /// Whether a session cookie was made persistent.
    @inlinable public var wasSession: Bool {
        get { parts.content.wasSession }
        set { change { $0.wasSession = newValue } }
    }

    /// How it came in.
    @inlinable public var source: CookieSource {
        get { parts.content.source }
        set { change { $0.source = newValue } }
    }

    /// What a file said beside; nil for nearly every cookie.
    @inlinable public var legacy: LegacyAttributes? {
        get { parts.content.legacy }
        set { change { $0.legacy = newValue } }
    }

    /// A cookie made of its parts, taken as they are.
    public init(
        identity: CookieIdentity, value: CookieValue, secure: Bool, httpOnly: Bool,
        sameSite: SameSite, expires: Timestamp?, createdAt: Timestamp, creationOrder: UInt64,
        updatedAt: Timestamp, version: UInt64, lastAccess: Timestamp, wasSession: Bool,
        source: CookieSource, legacy: LegacyAttributes? = nil
    ) {
        parts = Parts(
            Content(
                identity: identity, value: value, secure: secure, httpOnly: httpOnly,
                sameSite: sameSite, expires: expires, createdAt: createdAt,
                creationOrder: creationOrder, updatedAt: updatedAt, version: version,
                lastAccess: lastAccess, wasSession: wasSession, source: source, legacy: legacy))
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
