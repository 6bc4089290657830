// SPDX-License-Identifier: Apache-2.0

/// The data of the last event of a stream; `StreamEnd` in openapi.yaml.
public struct StreamEndBody: AnswerBody {
    /// Why it ends, in one word.
    public let reason: String
    /// From where to go on.
    public let revision: UInt64

    /// An end made of its parts.
    public init(reason: String, revision: UInt64) {
        self.reason = reason
        self.revision = revision
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("reason")
        writer.string(reason)
        writer.name("revision")
        writer.integer(revision)
        writer.endObject()
    }
}
