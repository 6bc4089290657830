// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// What became of a file that was imported.
public struct ImportReport: ReadableBody {
    /// What became of one entry.
    public struct Entry: Sendable {
        /// Where it stands: a line's number, or a JSON pointer.
        public let position: String
        /// `stored`, `replaced`, `unchanged`, `deleted`, `evicted` or `rejected`.
        public let outcome: String
        /// The rule that refused it; nil unless rejected.
        public let reason: String?
    }

    /// The file's format.
    public let format: String
    /// How many cookies are new.
    public let stored: Int
    /// How many took the place of one with another content.
    public let replaced: Int
    /// How many were there already.
    public let unchanged: Int
    /// How many lines of a recording ended what an earlier one had set.
    public let deleted: Int
    /// How many had to make room for later ones.
    public let evicted: Int
    /// How many entries were refused.
    public let rejected: Int
    /// The entries that the service told about.
    public let entries: [Entry]

    /// Reads the report out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        format = try object.required("format").text()
        stored = try object.required("stored").count()
        replaced = try object.required("replaced").count()
        unchanged = try object.required("unchanged").count()
        deleted = try object["deleted"]?.count() ?? 0
        evicted = try object["evicted"]?.count() ?? 0
        rejected = try object.required("rejected").count()
        var entries: [Entry] = []
        for result in try object["results"]?.elements() ?? [] {
            let result = try result.anyObject()
            let position = try result.required("entry")
            let reason = result["reason"].flatMap { $0.isNull ? nil : $0 }
            entries.append(
                Entry(
                    position: position.isString
                        ? try position.text() : String(try position.count()),
                    outcome: try result.required("outcome").text(), reason: try reason?.text()))
        }
        self.entries = entries
    }
}

extension ImportReport: AnswerBody {
    /// Writes the report as one JSON value, in the form in which the service gave it.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("format")
        writer.string(format)
        for (name, count) in [
            ("stored" as StaticString, stored), ("replaced", replaced), ("unchanged", unchanged),
            ("deleted", deleted), ("evicted", evicted), ("rejected", rejected),
        ] {
            writer.name(name)
            writer.integer(count)
        }
        writer.name("results")
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.name("entry")
            if let line = Int(entry.position) {
                writer.integer(line)
            } else {
                writer.string(entry.position)
            }
            writer.name("outcome")
            writer.string(entry.outcome)
            writer.name("reason")
            if let reason = entry.reason { writer.string(reason) } else { writer.null() }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
