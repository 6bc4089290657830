// SPDX-License-Identifier: Apache-2.0

/// What makes two cookies of one store the same; `CookieIdentity` in openapi.yaml.
public struct CookieIdentityBody: AnswerBody {
    /// The cookie's name, possibly empty.
    public let name: [UInt8]
    /// The host it belongs to, in ASCII.
    public let domain: [UInt8]
    /// Whether only that very host gets it back.
    public let hostOnly: Bool
    /// The path.
    public let path: [UInt8]
    /// The top-level site of a partitioned cookie, in ASCII.
    public let partitionKey: [UInt8]?

    /// An identity made of its parts.
    public init(
        name: [UInt8], domain: [UInt8], hostOnly: Bool, path: [UInt8], partitionKey: [UInt8]?
    ) {
        self.name = name
        self.domain = domain
        self.hostOnly = hostOnly
        self.path = path
        self.partitionKey = partitionKey
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(to: &writer)
        writer.endObject()
    }

    func encodeMembers(to writer: inout JSONWriter) {
        writer.member("name", orBase64: "name_base64", name)
        encodeScope(to: &writer)
    }

    func encodeScope(to writer: inout JSONWriter) {
        writer.name("domain")
        writer.string(domain)
        writer.name("host_only")
        writer.bool(hostOnly)
        writer.member("path", orBase64: "path_base64", path)
        writer.name("partition_key")
        if let partitionKey { writer.string(partitionKey) } else { writer.null() }
    }
}

/// A cookie as it is stored; `Cookie` in openapi.yaml.
public struct CookieBody: AnswerBody {
    /// Which cookie it is.
    public let identity: CookieIdentityBody
    /// Its value; nil for who may not see it.
    public let value: SecretBytes?
    /// Sent over secure connections only.
    public let secure: Bool
    /// Hidden from scripts.
    public let httpOnly: Bool
    /// The SameSite attribute; nil when it has none.
    public let sameSite: SameSiteWord?
    /// When it ends, in milliseconds since the epoch; nil for a session cookie.
    public let expires: Int64?
    /// When it was created, in milliseconds since the epoch.
    public let createdAt: Int64
    /// When its content last changed, in milliseconds since the epoch.
    public let updatedAt: Int64
    /// The revision in which its content arose.
    public let version: UInt64
    /// How it came in: `header`, `script`, `put` or `import`.
    public let source: String
    /// Whether a session cookie was made persistent.
    public let wasSession: Bool
}

extension CookieBody {
    // Apart, and with its parts in another order, so that the compiler's own is there, which makes the value in one go.
    /// A cookie made of its parts.
    public init(
        identity: CookieIdentityBody, value: SecretBytes?, secure: Bool, httpOnly: Bool,
        sameSite: SameSiteWord?, expires: Int64?, createdAt: Int64, updatedAt: Int64,
        version: UInt64, wasSession: Bool, source: String
    ) {
        self.init(
            identity: identity, value: value, secure: secure, httpOnly: httpOnly,
            sameSite: sameSite, expires: expires, createdAt: createdAt, updatedAt: updatedAt,
            version: version, source: source, wasSession: wasSession)
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", orBase64: "name_base64", identity.name)
        if let value { writer.member("value", orBase64: "value_base64", value.bytes) }
        identity.encodeScope(to: &writer)
        writer.name("secure")
        writer.bool(secure)
        writer.name("http_only")
        writer.bool(httpOnly)
        writer.name("same_site")
        if let sameSite { writer.string(sameSite.rawValue) } else { writer.null() }
        writer.name("expires")
        writer.time(expires)
        writer.name("created_at")
        writer.time(createdAt)
        writer.name("updated_at")
        writer.time(updatedAt)
        writer.name("version")
        writer.integer(version)
        writer.name("was_session")
        writer.bool(wasSession)
        writer.name("source")
        writer.string(source)
        writer.endObject()
    }
}

/// One page of a store's cookies; `CookiePage` in openapi.yaml.
public struct CookiePageBody: AnswerBody {
    /// The cookies of the page.
    public let cookies: [CookieBody]
    /// Where the next page begins; nil on the last one.
    public let nextCursor: [UInt8]?
    /// The jar's revision, from where what happens next can be followed.
    public let revision: UInt64

    /// A page.
    public init(cookies: [CookieBody], nextCursor: [UInt8]?, revision: UInt64) {
        self.cookies = cookies
        self.nextCursor = nextCursor
        self.revision = revision
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("cookies")
        writer.array(cookies)
        writer.name("next_cursor")
        if let nextCursor { writer.string(nextCursor) } else { writer.null() }
        writer.name("revision")
        writer.integer(revision)
        writer.endObject()
    }
}
