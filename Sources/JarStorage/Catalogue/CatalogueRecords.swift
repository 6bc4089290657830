// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What is left of a token's secret: a keyed hash of it, which cannot be printed.
public struct TokenDigest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Its octets.
    public let bytes: [UInt8]

    /// A digest made of these octets.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a tenant may take; nil is without a limit.
public struct TenantLimits: Hashable, Sendable {
    /// Octets of its files.
    public var bytes: Int?
    /// Requests in a second, on average; as many may come at once after a pause.
    public var requestsPerSecond: Int?

    /// No limits but those given.
    public init(bytes: Int? = nil, requestsPerSecond: Int? = nil) {
        self.bytes = bytes
        self.requestsPerSecond = requestsPerSecond
    }
}

/// A tenant that was made explicitly.
public struct CatalogueTenant: Hashable, Sendable {
    /// Its name.
    public let tenant: TenantID
    /// When it was made.
    public let createdAt: Timestamp
    /// What it may take.
    public var limits: TenantLimits
    /// Whether its data are being deleted: it is gone for clients, and its name is not free yet.
    public var isBeingDeleted: Bool

    /// A tenant.
    public init(
        tenant: TenantID, createdAt: Timestamp, limits: TenantLimits = TenantLimits(),
        isBeingDeleted: Bool = false
    ) {
        self.tenant = tenant
        self.createdAt = createdAt
        self.limits = limits
        self.isBeingDeleted = isBeingDeleted
    }
}

/// A token of a tenant, without its secret.
public struct TokenRecord: Hashable, Sendable {
    /// How a token's earlier secret goes on being valid for a while after a rotation.
    public struct Overlap: Hashable, Sendable {
        /// The digest of the earlier secret.
        public let digest: TokenDigest
        /// Up to when it is taken.
        public let until: Timestamp

        /// An overlap.
        public init(digest: TokenDigest, until: Timestamp) {
            self.digest = digest
            self.until = until
        }
    }

    /// Its public part.
    public let id: TokenID
    /// Whose it is.
    public let tenant: TenantID
    /// What people call it.
    public let name: [UInt8]
    /// What it may do.
    public let scopes: TokenScopes
    /// The jars that it is limited to; empty for all.
    public let jars: [JarID]
    /// The stores that it is limited to; empty for all.
    public let stores: [StoreID]
    /// How many requests it may make in a second; nil for any number.
    public let requestsPerSecond: Int?
    /// When it was made.
    public let createdAt: Timestamp
    /// From when on it is not valid.
    public var expiresAt: Timestamp
    /// The digest of its secret.
    public var digest: TokenDigest
    /// The secret before the last rotation, as long as it is taken.
    public var overlap: Overlap?

    /// A token.
    public init(
        id: TokenID, tenant: TenantID, name: [UInt8], scopes: TokenScopes, jars: [JarID] = [],
        stores: [StoreID] = [], requestsPerSecond: Int? = nil, createdAt: Timestamp,
        expiresAt: Timestamp, digest: TokenDigest, overlap: Overlap? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.name = name
        self.scopes = scopes
        self.jars = jars
        self.stores = stores
        self.requestsPerSecond = requestsPerSecond
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.digest = digest
        self.overlap = overlap
    }
}
