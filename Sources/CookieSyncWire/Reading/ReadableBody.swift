// SPDX-License-Identifier: Apache-2.0

/// A body of an answer that a client reads.
///
/// A member that is not known is passed over: the service may be newer than its client.
public protocol ReadableBody: Sendable {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    init(json: JSONValue) throws(SchemaError)
}

extension ReadableBody {
    /// Reads a body.
    ///
    /// The limits are wide: the text comes from the service that the caller chose, and its size was bounded on the way.
    ///
    /// - Complexity: O(n).
    public init(parsing text: [UInt8]) throws(BodyError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: text, limits: JSONLimits(tokens: 1 << 24, stringBytes: 1 << 28))
        } catch {
            throw .json(error)
        }
        do throws(SchemaError) {
            try self.init(json: document.root)
        } catch {
            throw .schema(error)
        }
    }
}

extension JSONValue {
    /// An object, whatever members it has.
    public func anyObject() throws(SchemaError) -> JSONObject {
        guard let object = openObject else { throw error("must be an object") }
        return object
    }

    /// A whole number that is not negative.
    public func count() throws(SchemaError) -> Int {
        try integer(in: 0...Int.max)
    }

    /// A revision of a jar.
    func revision() throws(SchemaError) -> UInt64 {
        UInt64(try count())
    }

    /// A string as text.
    public func text() throws(SchemaError) -> String {
        String(decoding: try string(), as: UTF8.self)
    }

    /// The elements of an array, each read as a body.
    func bodies<Body: ReadableBody>(_ type: Body.Type) throws(SchemaError) -> [Body] {
        var bodies: [Body] = []
        for element in try elements() { bodies.append(try Body(json: element)) }
        return bodies
    }

    /// A time in milliseconds since the epoch.
    func time() throws(SchemaError) -> Int64 {
        guard let time = RFC3339.parse(try string()) else {
            throw error("must be an RFC 3339 time")
        }
        return time
    }
}

extension JSONObject {
    /// A member that is there and not null.
    func present(_ name: StaticString) -> JSONValue? {
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }

    /// The bytes of a member that must be there, as text or in base 64.
    func requiredText(
        _ name: StaticString, orBase64 base64: StaticString
    ) throws(SchemaError) -> [UInt8] {
        guard let bytes = try text(name, orBase64: base64) else { throw missing(name) }
        return bytes
    }
}
