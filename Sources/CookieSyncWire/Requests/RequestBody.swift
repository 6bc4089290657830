// SPDX-License-Identifier: Apache-2.0

/// A body that a client sends.
public protocol RequestBody: Sendable {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    init(json: JSONValue) throws(SchemaError)
}

/// Why bytes are not the body that was asked for.
public enum BodyError: Error, Hashable, Sendable {
    /// They are not JSON, too much of it, or an object in them has a name twice.
    case json(JSONError)
    /// They break the schema.
    case schema(SchemaError)
}

extension RequestBody {
    /// Reads a body.
    ///
    /// A name that an object has twice is refused like broken JSON, but only once the schema is kept: the grammar
    /// allows it, and a text that is no body at all should hear so first.
    public init(parsing text: [UInt8], limits: JSONLimits = JSONLimits()) throws(BodyError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text, limits: limits)
        } catch {
            throw .json(error)
        }
        do throws(SchemaError) {
            try self.init(json: document.root)
        } catch {
            throw .schema(error)
        }
        if let offset = document.duplicateName {
            let expected = "a name that the object does not have yet"
            throw .json(.malformed(offset: offset, expected: expected))
        }
    }
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
