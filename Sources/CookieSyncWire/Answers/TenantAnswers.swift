// SPDX-License-Identifier: Apache-2.0

/// A tenant and what it takes; `Tenant` in openapi.yaml.
public struct TenantBody: AnswerBody {
    /// Its name.
    public let name: [UInt8]
    /// When it was made, in milliseconds since the epoch; nil for one that appeared with its first write.
    public let createdAt: Int64?
    /// How many jars it has.
    public let jars: Int
    /// How many octets its data take.
    public let bytes: Int
    /// How many tokens it has.
    public let tokens: Int
    /// What it may take.
    public let limits: TenantLimitsBody

    /// A tenant made of its parts.
    public init(
        name: [UInt8], createdAt: Int64?, jars: Int, bytes: Int, tokens: Int,
        limits: TenantLimitsBody
    ) {
        self.name = name
        self.createdAt = createdAt
        self.jars = jars
        self.bytes = bytes
        self.tokens = tokens
        self.limits = limits
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        writer.name("created_at")
        writer.time(createdAt)
        writer.name("usage")
        writer.beginObject()
        writer.name("jars")
        writer.integer(jars)
        writer.name("bytes")
        writer.integer(bytes)
        writer.name("tokens")
        writer.integer(tokens)
        writer.endObject()
        writer.name("limits")
        limits.encode(to: &writer)
        writer.endObject()
    }
}

/// A token without its secret, or, when it has just been made, with it; `Token` and `NewToken` in openapi.yaml.
public struct TokenBody: AnswerBody {
    /// Its public part.
    public let id: [UInt8]
    /// What it starts with.
    public let prefix: [UInt8]
    /// The whole token; nil but in the answer that hands it out.
    public let token: SecretBytes?
    /// What people call it.
    public let name: [UInt8]
    /// What it may do.
    public let scopes: [String]
    /// The jars it is limited to.
    public let jars: [[UInt8]]
    /// The stores it is limited to.
    public let stores: [[UInt8]]
    /// How many requests it may make in a second.
    public let requestsPerSecond: Int?
    /// When it was made, in milliseconds since the epoch.
    public let createdAt: Int64
    /// From when on it is not valid, in milliseconds since the epoch.
    public let expiresAt: Int64
    /// When it was used last, in milliseconds since the epoch; nil for never.
    public let lastUsedAt: Int64?
    /// Up to when the secret before this one is taken, in milliseconds since the epoch; nil when it is not.
    public let overlapUntil: Int64?

    /// A token made of its parts.
    public init(
        id: [UInt8], prefix: [UInt8], token: SecretBytes?, name: [UInt8], scopes: [String],
        jars: [[UInt8]], stores: [[UInt8]], requestsPerSecond: Int?, createdAt: Int64,
        expiresAt: Int64, lastUsedAt: Int64?, overlapUntil: Int64?
    ) {
        self.id = id
        self.prefix = prefix
        self.token = token
        self.name = name
        self.scopes = scopes
        self.jars = jars
        self.stores = stores
        self.requestsPerSecond = requestsPerSecond
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.overlapUntil = overlapUntil
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("id")
        writer.string(id)
        if let token {
            writer.name("token")
            writer.string(token.bytes)
        }
        writer.name("prefix")
        writer.string(prefix)
        writer.name("name")
        writer.string(name)
        writer.name("scopes")
        writer.strings(scopes.map { Array($0.utf8) })
        writer.name("jars")
        writer.strings(jars)
        writer.name("stores")
        writer.strings(stores)
        writer.name("requests_per_second")
        writer.optional(requestsPerSecond)
        writer.name("created_at")
        writer.time(createdAt)
        writer.name("expires_at")
        writer.time(expiresAt)
        writer.name("last_used_at")
        writer.time(lastUsedAt)
        writer.name("overlap_until")
        writer.time(overlapUntil)
        writer.endObject()
    }
}

/// A tenant's tokens; `TokenList` in openapi.yaml.
public struct TokenListBody: AnswerBody {
    /// The tokens, the oldest first.
    public let tokens: [TokenBody]

    /// A list.
    public init(tokens: [TokenBody]) { self.tokens = tokens }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("tokens")
        writer.array(tokens)
        writer.endObject()
    }
}

extension JSONWriter {
    mutating func optional(_ number: Int?) {
        if let number { integer(number) } else { null() }
    }
}
