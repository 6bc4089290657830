// SPDX-License-Identifier: Apache-2.0

/// What a sync did to one cookie.
public struct SyncResultBody: AnswerBody {
    /// The store that changed.
    public let store: [UInt8]
    /// Which cookie.
    public let identity: CookieIdentityBody
    /// `added`, `updated`, `deleted`, `evicted` or `unchanged`.
    public let action: String
    /// Why, in one word.
    public let reason: String

    /// A result made of its parts.
    public init(store: [UInt8], identity: CookieIdentityBody, action: String, reason: String) {
        self.store = store
        self.identity = identity
        self.action = action
        self.reason = reason
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("store")
        writer.string(store)
        identity.encodeMembers(to: &writer)
        writer.name("action")
        writer.string(action)
        writer.name("reason")
        writer.string(reason)
        writer.endObject()
    }
}

/// The answer of `sync`; `SyncAnswer` in openapi.yaml.
public struct SyncAnswerBody: AnswerBody {
    /// The jar's revision.
    public let revision: UInt64
    /// How many cookies a store got.
    public let added: Int
    /// How many cookies were overwritten.
    public let updated: Int
    /// How many cookies went.
    public let deleted: Int
    /// How many were in step already.
    public let unchanged: Int
    /// What happened to each.
    public let results: [SyncResultBody]

    /// An answer made of its parts.
    public init(
        revision: UInt64, added: Int, updated: Int, deleted: Int, unchanged: Int,
        results: [SyncResultBody]
    ) {
        self.revision = revision
        self.added = added
        self.updated = updated
        self.deleted = deleted
        self.unchanged = unchanged
        self.results = results
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("added")
        writer.integer(added)
        writer.name("updated")
        writer.integer(updated)
        writer.name("deleted")
        writer.integer(deleted)
        writer.name("unchanged")
        writer.integer(unchanged)
        writer.name("results")
        writer.array(results)
        writer.endObject()
    }
}

/// What a rewrite did to one cookie.
public struct RewriteResultBody: AnswerBody {
    /// The cookie, under the domain it had before.
    public let identity: CookieIdentityBody
    /// `rewritten`, `superseded` or `rejected`.
    public let outcome: String
    /// The rule that refused the move; nil unless rejected.
    public let reason: String?

    /// A result made of its parts.
    public init(identity: CookieIdentityBody, outcome: String, reason: String?) {
        self.identity = identity
        self.outcome = outcome
        self.reason = reason
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        identity.encodeMembers(to: &writer)
        writer.name("outcome")
        writer.string(outcome)
        writer.name("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        writer.endObject()
    }
}

/// The answer of `rewrite-domain`; `RewriteDomainAnswer` in openapi.yaml.
public struct RewriteAnswerBody: AnswerBody {
    /// The jar's revision.
    public let revision: UInt64
    /// What happened to each cookie of the old domain.
    public let results: [RewriteResultBody]
    /// Cookies that had to go because a limit was passed.
    public let evicted: [CookieIdentityBody]

    /// An answer.
    public init(
        revision: UInt64, results: [RewriteResultBody], evicted: [CookieIdentityBody]
    ) {
        self.revision = revision
        self.results = results
        self.evicted = evicted
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("rewritten")
        writer.integer(results.count { $0.outcome == "rewritten" })
        writer.name("superseded")
        writer.integer(results.count { $0.outcome == "superseded" })
        writer.name("rejected")
        writer.integer(results.count { $0.outcome == "rejected" })
        writer.name("results")
        writer.array(results)
        if !evicted.isEmpty {
            writer.name("evicted")
            writer.array(evicted)
        }
        writer.endObject()
    }
}
