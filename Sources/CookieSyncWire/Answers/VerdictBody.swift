// SPDX-License-Identifier: Apache-2.0

/// What became of one cookie; `Verdict` in openapi.yaml.
public struct VerdictBody: AnswerBody {
    /// The cookie's name.
    public let name: [UInt8]
    /// `stored`, `replaced`, `unchanged`, `deleted` or `rejected`.
    public let outcome: String
    /// The rule that refused it; nil unless rejected.
    public let reason: String?
    /// Cookies that had to go because a limit was passed.
    public let evicted: [CookieIdentityBody]
    /// The cookie as it is stored now; nil when it is not.
    public let cookie: CookieBody?
}

extension VerdictBody {
    // Apart, and with its parts in another order, so that the compiler's own is there, which makes the value in one go.
    /// A verdict made of its parts.
    public init(
        name: [UInt8], outcome: String, reason: String?, cookie: CookieBody?,
        evicted: [CookieIdentityBody]
    ) {
        self.init(name: name, outcome: outcome, reason: reason, evicted: evicted, cookie: cookie)
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", orBase64: "name_base64", name)
        writer.name("outcome")
        writer.string(outcome)
        writer.name("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        writer.name("cookie")
        if let cookie { cookie.encode(to: &writer) } else { writer.null() }
        if !evicted.isEmpty {
            writer.name("evicted")
            writer.array(evicted)
        }
        writer.endObject()
    }
}

/// The answer of `ingest` and of `PUT cookies`.
public struct VerdictsBody: AnswerBody {
    /// The jar's revision.
    public let revision: UInt64
    /// A verdict per cookie, in the order of the request.
    public let results: [VerdictBody]
    /// What was found out about folding; nil where the question does not arise.
    public let folding: FoldingBody?

    /// An answer.
    public init(revision: UInt64, results: [VerdictBody], folding: FoldingBody?) {
        self.revision = revision
        self.results = results
        self.folding = folding
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("results")
        writer.array(results)
        folding?.encodeMembers(to: &writer)
        writer.endObject()
    }
}

/// Whether a response's lines had been folded into one.
public struct FoldingBody: Sendable {
    /// Whether a string was split into several lines.
    public let isFolded: Bool
    /// Whether another way to split it is possible.
    public let isAmbiguous: Bool

    /// What was found out.
    public init(isFolded: Bool, isAmbiguous: Bool) {
        self.isFolded = isFolded
        self.isAmbiguous = isAmbiguous
    }

    func encodeMembers(to writer: inout JSONWriter) {
        writer.name("folded")
        writer.bool(isFolded)
        writer.name("ambiguous")
        writer.bool(isAmbiguous)
    }
}

/// The answer of `DELETE cookies`; `DeleteAnswer` in openapi.yaml.
public struct DeletedBody: AnswerBody {
    /// How many cookies are gone.
    public let deleted: Int
    /// The jar's revision.
    public let revision: UInt64

    /// An answer.
    public init(deleted: Int, revision: UInt64) {
        self.deleted = deleted
        self.revision = revision
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("deleted")
        writer.integer(deleted)
        writer.name("revision")
        writer.integer(revision)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes an array of bodies.
    public mutating func array(_ bodies: [some AnswerBody]) {
        beginArray()
        // Where they lie: what a loop over the array hands out is a copy.
        bodies.withUnsafeBufferPointer { bodies in
            for index in bodies.indices { bodies[index].encode(to: &self) }
        }
        endArray()
    }
}
