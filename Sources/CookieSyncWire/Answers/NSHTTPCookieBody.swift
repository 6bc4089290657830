// SPDX-License-Identifier: Apache-2.0

/// A cookie as the property dictionary of Apple's `NSHTTPCookie`; `nshttpcookie` of a native cookie in openapi.yaml.
public struct NSHTTPCookieBody: AnswerBody {
    /// One property.
    public struct Property: Sendable {
        /// The key, as Foundation spells it.
        public let name: StaticString
        /// The value; a time as RFC 3339 has it.
        public let text: SecretBytes

        /// A property; the text must be UTF-8.
        public init(name: StaticString, text: SecretBytes) {
            self.name = name
            self.text = text
        }
    }

    /// The keys that a client reads, in the order in which they are written.
    static let names: [StaticString] = [
        "Name", "Value", "Domain", "Path", "Secure", "HttpOnly", "SameSite", "Discard", "Version",
        "Comment", "CommentURL", "Port", "Expires",
    ]

    /// The properties.
    public let properties: [Property]

    /// A dictionary.
    public init(properties: [Property]) {
        self.properties = properties
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        for property in properties {
            writer.name(property.name)
            writer.string(property.text.bytes)
        }
        writer.endObject()
    }
}
