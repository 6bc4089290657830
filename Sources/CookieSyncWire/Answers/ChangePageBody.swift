// SPDX-License-Identifier: Apache-2.0

/// One event of the change feed; `Change` in openapi.yaml.
public struct ChangeBody: AnswerBody {
    /// Which cookie it happened to.
    public enum Subject: Sendable {
        /// The cookie as it is since then.
        case cookie(CookieBody)
        /// One that is gone, and its value with it.
        case identity(CookieIdentityBody)
    }

    /// The jar's revision.
    public let revision: UInt64
    /// When it happened, in milliseconds since the epoch.
    public let at: Int64
    /// The store it happened in.
    public let store: [UInt8]
    /// `added`, `changed` or `removed`.
    public let kind: String
    /// Why, in one word.
    public let cause: String
    /// Which cookie.
    public let subject: Subject

    /// An event made of its parts.
    public init(
        revision: UInt64, at: Int64, store: [UInt8], kind: String, cause: String, subject: Subject
    ) {
        self.revision = revision
        self.at = at
        self.store = store
        self.kind = kind
        self.cause = cause
        self.subject = subject
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("at")
        writer.time(at)
        writer.name("store")
        writer.string(store)
        writer.name("kind")
        writer.string(kind)
        writer.name("cause")
        writer.string(cause)
        writer.name("cookie")
        switch subject {
        case .cookie(let cookie): cookie.encode(to: &writer)
        case .identity(let identity): identity.encode(to: &writer)
        }
        writer.endObject()
    }
}

/// One page of the change feed; `ChangePage` in openapi.yaml.
public struct ChangePageBody: AnswerBody {
    /// The events, oldest first.
    public let changes: [ChangeBody]
    /// Where the next page begins.
    public let revision: UInt64
    /// Whether there is more by now.
    public let hasMore: Bool

    /// A page.
    public init(changes: [ChangeBody], revision: UInt64, hasMore: Bool) {
        self.changes = changes
        self.revision = revision
        self.hasMore = hasMore
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("changes")
        writer.array(changes)
        writer.name("revision")
        writer.integer(revision)
        writer.name("more")
        writer.bool(hasMore)
        writer.endObject()
    }
}
