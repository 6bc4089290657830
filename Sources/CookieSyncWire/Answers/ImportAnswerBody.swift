// SPDX-License-Identifier: Apache-2.0

/// What became of one entry of an imported file; `ImportResult` in openapi.yaml.
public struct ImportResultBody: AnswerBody {
    /// Where an entry stands in its file.
    public enum Entry: Sendable {
        /// In this line; the first is 1.
        case line(Int)
        /// At this JSON pointer.
        case pointer(String)
    }

    /// Where it stands.
    public let entry: Entry
    /// `stored`, `replaced`, `unchanged` or `rejected`.
    public let outcome: String
    /// The rule that refused it; nil unless rejected.
    public let reason: String?

    /// A result made of its parts.
    public init(entry: Entry, outcome: String, reason: String?) {
        self.entry = entry
        self.outcome = outcome
        self.reason = reason
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("entry")
        switch entry {
        case .line(let number): writer.integer(number)
        case .pointer(let pointer): writer.string(pointer)
        }
        writer.name("outcome")
        writer.string(outcome)
        writer.name("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        writer.endObject()
    }
}

/// The answer of `import`; `ImportAnswer` in openapi.yaml.
public struct ImportAnswerBody: AnswerBody {
    /// The file's format.
    public let format: String
    /// A result per entry, in the order of the file.
    public let results: [ImportResultBody]

    /// An answer.
    public init(format: String, results: [ImportResultBody]) {
        self.format = format
        self.results = results
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("format")
        writer.string(format)
        for name: StaticString in ["stored", "replaced", "unchanged", "rejected"] {
            writer.name(name)
            writer.integer(results.count { $0.outcome == "\(name)" })
        }
        writer.name("results")
        writer.array(results)
        writer.endObject()
    }
}
