// SPDX-License-Identifier: Apache-2.0

/// The answer of `promote`; `PromoteAnswer` in openapi.yaml.
public struct PromotedBody: AnswerBody {
    /// How many session cookies are persistent now.
    public let promoted: Int
    /// The jar's revision.
    public let revision: UInt64

    /// An answer made of its parts.
    public init(promoted: Int, revision: UInt64) {
        self.promoted = promoted
        self.revision = revision
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("promoted")
        writer.integer(promoted)
        writer.name("revision")
        writer.integer(revision)
        writer.endObject()
    }
}
