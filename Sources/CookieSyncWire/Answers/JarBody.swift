// SPDX-License-Identifier: Apache-2.0

/// A store's counts and settings; `Store` in openapi.yaml.
public struct StoreBody: AnswerBody {
    /// The store's name.
    public let name: [UInt8]
    /// The jar's revision.
    public let revision: UInt64
    /// How many cookies it holds.
    public let cookieCount: Int
    /// How many of them end with the session.
    public let sessionCookieCount: Int
    /// Whose cookies it takes.
    public let acceptPolicy: String
    /// How it matches hosts.
    public let matching: String
    /// How long a session cookie lives in it; nil when it stays one.
    public let sessionLifetimeSeconds: Int64?

    /// A store made of its parts.
    public init(
        name: [UInt8], revision: UInt64, cookieCount: Int, sessionCookieCount: Int,
        acceptPolicy: String, matching: String, sessionLifetimeSeconds: Int64?
    ) {
        self.name = name
        self.revision = revision
        self.cookieCount = cookieCount
        self.sessionCookieCount = sessionCookieCount
        self.acceptPolicy = acceptPolicy
        self.matching = matching
        self.sessionLifetimeSeconds = sessionLifetimeSeconds
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        writer.name("revision")
        writer.integer(revision)
        writer.name("cookie_count")
        writer.integer(cookieCount)
        writer.name("session_cookie_count")
        writer.integer(sessionCookieCount)
        writer.name("accept_policy")
        writer.string(acceptPolicy)
        writer.name("matching")
        writer.string(matching)
        writer.name("session_lifetime_seconds")
        if let sessionLifetimeSeconds {
            writer.integer(sessionLifetimeSeconds)
        } else {
            writer.null()
        }
        writer.endObject()
    }
}

/// A jar and its stores; `Jar` in openapi.yaml.
public struct JarBody: AnswerBody {
    /// A line of the jar's stores.
    public struct StoreLine: AnswerBody {
        /// The store's name.
        public let name: [UInt8]
        /// How many cookies it holds.
        public let cookieCount: Int

        /// A line.
        public init(name: [UInt8], cookieCount: Int) {
            self.name = name
            self.cookieCount = cookieCount
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("name")
            writer.string(name)
            writer.name("cookie_count")
            writer.integer(cookieCount)
            writer.endObject()
        }
    }

    /// The jar's name.
    public let name: [UInt8]
    /// Its revision.
    public let revision: UInt64
    /// When it came into being, in milliseconds since the epoch.
    public let createdAt: Int64
    /// Its stores.
    public let stores: [StoreLine]

    /// A jar made of its parts.
    public init(name: [UInt8], revision: UInt64, createdAt: Int64, stores: [StoreLine]) {
        self.name = name
        self.revision = revision
        self.createdAt = createdAt
        self.stores = stores
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        writer.name("revision")
        writer.integer(revision)
        writer.name("created_at")
        writer.time(createdAt)
        writer.name("cookie_count")
        writer.integer(stores.reduce(0) { $0 + $1.cookieCount })
        writer.name("stores")
        writer.array(stores)
        writer.endObject()
    }
}

/// One page of a tenant's jars; `JarPage` in openapi.yaml.
public struct JarPageBody: AnswerBody {
    /// A line of the page.
    public struct Line: AnswerBody {
        /// The jar's name.
        public let name: [UInt8]
        /// Its revision.
        public let revision: UInt64

        /// A line.
        public init(name: [UInt8], revision: UInt64) {
            self.name = name
            self.revision = revision
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("name")
            writer.string(name)
            writer.name("revision")
            writer.integer(revision)
            writer.endObject()
        }
    }

    /// The jars of the page.
    public let jars: [Line]
    /// Where the next page begins; nil on the last one.
    public let nextCursor: [UInt8]?

    /// A page.
    public init(jars: [Line], nextCursor: [UInt8]?) {
        self.jars = jars
        self.nextCursor = nextCursor
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("jars")
        writer.array(jars)
        writer.name("next_cursor")
        if let nextCursor { writer.string(nextCursor) } else { writer.null() }
        writer.endObject()
    }
}
