// SPDX-License-Identifier: Apache-2.0

/// The answer of `explain`; `Explanation` in openapi.yaml.
public struct ExplanationBody: AnswerBody {
    /// What is said about one cookie.
    public struct Line: AnswerBody {
        /// The cookie.
        public let cookie: CookieBody
        /// All that keeps it from the request; empty when it is sent.
        public let reasons: [String]

        /// A line.
        public init(cookie: CookieBody, reasons: [String]) {
            self.cookie = cookie
            self.reasons = reasons
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("cookie")
            cookie.encode(to: &writer)
            writer.name("sent")
            writer.bool(reasons.isEmpty)
            writer.name("reasons")
            writer.beginArray()
            for reason in reasons { writer.string(reason) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// The cookies of the store, in header order.
    public let lines: [Line]

    /// An answer.
    public init(lines: [Line]) {
        self.lines = lines
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.array(lines)
    }
}
