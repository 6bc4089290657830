// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not taken as JSON.
///
/// No case carries anything of the input but a position.
public enum JSONError: Error, Hashable, Sendable {
    /// The bytes are not JSON (RFC 8259), or nest deeper than `JSONLimits.depth`; `expected` completes the
    /// sentence "expected …".
    case malformed(offset: Int, expected: String)
    /// The text may be JSON but is more than is read: `what` names the limit that it passes.
    case tooLarge(offset: Int, what: String)
}

/// How much JSON is read, so that no input costs more than its size suggests.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may nest.
    public var depth: Int
    /// How many names and values a text may have.
    public var tokens: Int
    /// How many octets a string may have once its escapes are resolved.
    public var stringBytes: Int

    /// Limits; the defaults are those of the service.
    public init(depth: Int = 32, tokens: Int = 20_000, stringBytes: Int = 65_536) {
        self.depth = depth
        self.tokens = tokens
        self.stringBytes = stringBytes
    }
}

/// What in a JSON text breaks the schema, and where.
public struct SchemaError: Error, Hashable, Sendable {
    /// The JSON pointer (RFC 6901) of the member, cut where a name in it is very long.
    public let pointer: String
    /// What to change; completes a sentence that begins with the pointer.
    ///
    /// Never holds a value.
    public let detail: String

    /// An error at a pointer.
    public init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}
