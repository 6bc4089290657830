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
    /// `stored`, `replaced`, `unchanged`, `deleted`, `evicted` or `rejected`.
    public let outcome: StaticString
    /// The rule that refused it; nil unless rejected.
    public let reason: String?

    /// A result made of its parts.
    public init(entry: Entry, outcome: StaticString, reason: String?) {
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
        outcome.withUTF8Buffer { writer.string($0) }
        writer.name("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        writer.endObject()
    }
}

/// How many entries of an imported file ended in which way; the counts of `ImportAnswer` in openapi.yaml.
public struct ImportSummaryBody: AnswerBody {
    /// The file's format.
    public let format: String
    /// The outcomes with their counts, in the order in which they are written.
    public let counts: [(outcome: StaticString, count: Int)]

    /// A summary made of its parts.
    public init(format: String, counts: [(outcome: StaticString, count: Int)]) {
        self.format = format
        self.counts = counts
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the members alone.
    public func encodeMembers(to writer: inout JSONWriter) {
        writer.name("format")
        writer.string(format)
        for (outcome, count) in counts {
            writer.name(outcome)
            writer.integer(count)
        }
    }
}
