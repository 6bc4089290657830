// SPDX-License-Identifier: Apache-2.0

/// How a request relates to the site that caused it; `SameSiteContext` in openapi.yaml.
public enum SameSiteContextWord: String, Sendable, CaseIterable {
    /// From the same site.
    case strict
    /// A top-level navigation from another site by a safe method.
    case lax
    /// A top-level navigation from another site by an unsafe method.
    case laxUnsafe = "lax-unsafe"
    /// Any other request from another site.
    case crossSite = "cross-site"
}

/// A cookie's SameSite attribute; `SameSite` in openapi.yaml.
public enum SameSiteWord: String, Sendable, CaseIterable {
    /// `SameSite=Strict`.
    case strict
    /// `SameSite=Lax`.
    case lax
    /// `SameSite=None`.
    case none
}

/// How a store is synced to another.
public enum SyncModeWord: String, Sendable, CaseIterable {
    /// The newer version wins; cookies that only the target has stay.
    case merge
    /// The target ends exactly as the source.
    case mirror
    /// Both ends converge.
    case twoWay = "two-way"
}

/// A body that a client sends.
public protocol RequestBody: Sendable {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    init(json: JSONValue) throws(SchemaError)
}

/// A body that the service answers.
public protocol AnswerBody: Sendable {
    /// Writes the body as one JSON value.
    func encode(to writer: inout JSONWriter)
}

extension JSONObject {
    func string(_ name: StaticString) throws(SchemaError) -> [UInt8]? {
        guard let member = self[name] else { return nil }
        return try member.string()
    }

    func nullableString(_ name: StaticString) throws(SchemaError) -> [UInt8]? {
        guard let member = self[name], !member.isNull else { return nil }
        return try member.string()
    }

    func bool(_ name: StaticString) throws(SchemaError) -> Bool? {
        guard let member = self[name] else { return nil }
        return try member.bool()
    }

    /// The bytes of a member that is given either as text or in base 64.
    func text(_ name: StaticString, orBase64 base64: StaticString) throws(SchemaError) -> [UInt8]? {
        guard let encoded = self[base64] else { return try string(name) }
        if let plain = self[name] { throw plain.error("must not stand beside \(base64)") }
        guard let bytes = Base64.decode(try encoded.string()) else {
            throw encoded.error("must be padded base 64 (RFC 4648 section 4)")
        }
        return bytes
    }

    func strings(_ name: StaticString) throws(SchemaError) -> [[UInt8]]? {
        guard let member = self[name] else { return nil }
        var strings: [[UInt8]] = []
        for element in try member.elements() { strings.append(try element.string()) }
        return strings
    }
}
