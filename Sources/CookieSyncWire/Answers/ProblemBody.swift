// SPDX-License-Identifier: Apache-2.0

/// A problem document (RFC 9457); `Problem` in openapi.yaml.
public struct ProblemBody: AnswerBody {
    /// What is wrong at one place of the request.
    public struct Item: AnswerBody {
        /// Where: a JSON pointer into the body, or `/query/…`, `/path/…`.
        public let pointer: String
        /// What to change.
        public let detail: String
        /// The rule that refused a cookie, if it was one.
        public let reason: String?

        /// An item.
        public init(pointer: String, detail: String, reason: String? = nil) {
            self.pointer = pointer
            self.detail = detail
            self.reason = reason
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("pointer")
            writer.string(pointer)
            writer.name("detail")
            writer.string(detail)
            if let reason {
                writer.name("reason")
                writer.string(reason)
            }
            writer.endObject()
        }
    }

    /// The problem's type: a stable URI that ends in the slug.
    public let type: String
    /// What kind of problem it is, always the same for a type.
    public let title: String
    /// The status of the answer.
    public let status: UInt16
    /// What to change.
    public let detail: String
    /// Names this occurrence.
    public let instance: String
    /// Where a body stops being JSON.
    public let offset: Int?
    /// The jar's revision, where the request was for another one.
    public let revision: UInt64?
    /// What is wrong where.
    public let errors: [Item]

    /// A problem made of its parts.
    public init(
        type: String, title: String, status: UInt16, detail: String, instance: String,
        offset: Int? = nil, revision: UInt64? = nil, errors: [Item] = []
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.offset = offset
        self.revision = revision
        self.errors = errors
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("type")
        writer.string(type)
        writer.name("title")
        writer.string(title)
        writer.name("status")
        writer.integer(status)
        writer.name("detail")
        writer.string(detail)
        writer.name("instance")
        writer.string(instance)
        if let offset {
            writer.name("offset")
            writer.integer(offset)
        }
        if let revision {
            writer.name("revision")
            writer.integer(revision)
        }
        if !errors.isEmpty {
            writer.name("errors")
            writer.array(errors)
        }
        writer.endObject()
    }
}
