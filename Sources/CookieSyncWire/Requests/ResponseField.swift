// SPDX-License-Identifier: Apache-2.0

/// One field of a response's head.
///
/// Name and value are parts of the text that the field was read from: of a response that came in full, few fields are
/// looked at. `description`, `debugDescription` and reflection show only a placeholder.
public struct ResponseField: Sendable {
    private let octets: [UInt8]
    private let nameRange: Range<Int32>
    private let valueRange: Range<Int32>
    /// Whether several lines may have been folded into the value.
    public let mayBeFolded: Bool

    /// A field made of its parts, which must be shorter than 2 GiB.
    public init(name: [UInt8], value: [UInt8], mayBeFolded: Bool) {
        let end = Int32(name.count)
        self.init(
            octets: name + value, name: 0..<end, value: end..<(end + Int32(value.count)),
            mayBeFolded: mayBeFolded)
    }

    private init(octets: [UInt8], name: Range<Int32>, value: Range<Int32>, mayBeFolded: Bool) {
        self.octets = octets
        nameRange = name
        valueRange = value
        self.mayBeFolded = mayBeFolded
    }

    /// The field's name, as it was given.
    public var name: ArraySlice<UInt8> { octets[Self.indices(nameRange)] }

    /// The field's value: a secret, as it may be a cookie.
    public var secretValue: ArraySlice<UInt8> { octets[Self.indices(valueRange)] }

    /// Whether the field has this name, given in lower case.
    public func isNamed(_ lowercased: StaticString) -> Bool {
        let expected = lowercased.bytes
        guard nameRange.count == expected.count else { return false }
        return octets.withUnsafeBufferPointer { octets in
            let name = UnsafeBufferPointer(rebasing: octets[Self.indices(nameRange)])
            for index in 0..<min(name.count, expected.count) {
                let (byte, letter) = (name[index], expected[index])
                guard
                    byte == letter || byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter
                else { return false }
            }
            return true
        }
    }

    private static func indices(_ range: Range<Int32>) -> Range<Int> {
        Int(range.lowerBound)..<Int(range.upperBound)
    }
}

extension ResponseField {
    /// The fields that a body gives: an array of pairs, or an object whose values are lines or arrays of them.
    static func fields(_ headers: JSONValue) throws(SchemaError) -> [ResponseField] {
        var fields: [ResponseField] = []
        fields.reserveCapacity(headers.size)
        if headers.isArray {
            try headers.forEachElement { element throws(SchemaError) in
                guard let (name, value) = try element.pair() else {
                    throw element.error("must be a pair of name and value")
                }
                fields.append(try read(name, value, mayBeFolded: false))
            }
            return fields
        }
        guard headers.isObject else {
            throw headers.error("must be an array of pairs or an object")
        }
        try headers.forEachMember { name, value throws(SchemaError) in
            guard !value.isString else {
                return fields.append(try read(name, value, mayBeFolded: true))
            }
            try value.forEachElement { line throws(SchemaError) in
                fields.append(try read(name, line, mayBeFolded: false))
            }
        }
        return fields
    }

    /// A field out of a text, which it keeps in memory unless something in it has escapes.
    private static func read(
        _ name: JSONValue, _ value: JSONValue, mayBeFolded: Bool
    ) throws(SchemaError) -> ResponseField {
        guard let nameRange = try name.plainRange(), let valueRange = try value.plainRange() else {
            return ResponseField(
                name: try name.string(), value: try value.string(), mayBeFolded: mayBeFolded)
        }
        return ResponseField(
            octets: name.document.source, name: nameRange, value: valueRange,
            mayBeFolded: mayBeFolded)
    }
}

extension ResponseField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
