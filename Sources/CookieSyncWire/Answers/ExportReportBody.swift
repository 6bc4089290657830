// SPDX-License-Identifier: Apache-2.0

/// What a file cannot hold of one cookie; `ExportResult` in openapi.yaml.
public struct ExportResultBody: AnswerBody {
    /// Which cookie.
    public let identity: CookieIdentityBody
    /// Whether the file has it.
    public let isWritten: Bool
    /// The attributes that the file cannot hold; where it has no cookie, those it is left out for.
    public let lost: [String]

    /// A result made of its parts.
    public init(identity: CookieIdentityBody, isWritten: Bool, lost: [String]) {
        self.identity = identity
        self.isWritten = isWritten
        self.lost = lost
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        identity.encodeMembers(to: &writer)
        writer.name("written")
        writer.bool(isWritten)
        writer.name("lost")
        writer.strings(lost)
        writer.endObject()
    }
}

/// The answer of `export` with `report=json`; `ExportReport` in openapi.yaml.
public struct ExportReportBody: AnswerBody {
    /// The file's format.
    public let format: String
    /// How many cookies the file has.
    public let written: Int
    /// What is lost of any cookie.
    public let lost: [String]
    /// What is lost of each.
    public let results: [ExportResultBody]

    /// A report made of its parts.
    public init(format: String, written: Int, lost: [String], results: [ExportResultBody]) {
        self.format = format
        self.written = written
        self.lost = lost
        self.results = results
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("format")
        writer.string(format)
        writer.name("written")
        writer.integer(written)
        writer.name("lost")
        writer.strings(lost)
        writer.name("results")
        writer.array(results)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes an array of strings.
    fileprivate mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
