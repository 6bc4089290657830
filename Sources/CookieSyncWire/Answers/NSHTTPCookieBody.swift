// SPDX-License-Identifier: Apache-2.0

/// A cookie as the property dictionary of Apple's `NSHTTPCookie`; `nshttpcookie` of a native cookie in openapi.yaml.
///
/// `Domain` has a leading dot exactly when hosts below it get the cookie too. Booleans are the string `TRUE`, and left
/// out where they do not hold, as Foundation takes any value of `Secure` for true.
public struct NSHTTPCookieBody: AnswerBody {
    /// One property.
    public struct Property: Sendable {
        /// The key, as Foundation spells it.
        public let name: StaticString
        /// The value; a time as RFC 3339 has it.
        public let text: SecretBytes
    }

    static let names: [StaticString] = [
        "Name", "Value", "Domain", "Path", "Secure", "HttpOnly", "SameSite", "Expires", "Discard",
    ]

    /// The properties, in the order of `names`.
    public let properties: [Property]

    init(properties: [Property]) {
        self.properties = properties
    }

    /// The dictionary of a cookie; nil for one that it cannot hold: bytes that are no text, or a partition.
    public init?(_ cookie: CookieBody) {
        let identity = cookie.identity
        let isText = [identity.name, cookie.value.bytes, identity.path]
            .allSatisfy(UTF8Text.isValid)
        guard isText, identity.partitionKey == nil else { return nil }
        let yes = Array("TRUE".utf8)
        var expires: [UInt8]?
        if let time = cookie.expires {
            var text: [UInt8] = []
            RFC3339.append(milliseconds: time, to: &text)
            expires = text
        }
        // Foundation has no word for SameSite=None but the lack of one.
        let sameSite = cookie.sameSite.flatMap { $0 == .none ? nil : Array($0.rawValue.utf8) }
        let values: [[UInt8]?] = [
            identity.name, cookie.value.bytes,
            identity.hostOnly ? identity.domain : [UInt8(ascii: ".")] + identity.domain,
            identity.path, cookie.secure ? yes : nil, cookie.httpOnly ? yes : nil, sameSite,
            expires, expires == nil ? yes : nil,
        ]
        properties = zip(Self.names, values).compactMap { name, value in
            value.map { Property(name: name, text: SecretBytes($0)) }
        }
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
