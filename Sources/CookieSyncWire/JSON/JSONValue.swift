// SPDX-License-Identifier: Apache-2.0

/// A value in a checked JSON text.
///
/// The accessors throw a `SchemaError` with the value's pointer when it is of another type than the
/// one asked for.
public struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }

    /// Whether it is `null`.
    public var isNull: Bool { node.kind == .null }

    /// Whether it is an object.
    public var isObject: Bool { node.kind == .object }

    /// Whether it is an array.
    public var isArray: Bool { node.kind == .array }

    /// Whether it is a string.
    public var isString: Bool { node.kind == .string }

    /// The UTF-8 of a string, escapes resolved.
    public func string() throws(SchemaError) -> [UInt8] {
        guard isString else { throw error("must be a string") }
        return JSONEscape.resolve(document.source, node)
    }

    /// The truth value.
    public func bool() throws(SchemaError) -> Bool {
        switch node.kind {
        case .yes: true
        case .no: false
        default: throw error("must be true or false")
        }
    }

    /// A whole number in a range, written in digits only.
    public func integer(in range: ClosedRange<Int>) throws(SchemaError) -> Int {
        let text = document.source[Int(node.start)..<Int(node.end)]
        guard node.kind == .number,
            let number = DecimalDigits.parse(text).flatMap(Int.init(exactly:)), range ~= number
        else {
            throw error("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number, rounded to the nearest that `Double` has; infinite beyond them.
    public func number() throws(SchemaError) -> Double {
        let text = document.source[Int(node.start)..<Int(node.end)]
        guard node.kind == .number, let number = Double(String(decoding: text, as: UTF8.self))
        else { throw error("must be a number") }
        return number
    }

    /// The elements of an array.
    public func elements(atMost limit: Int = .max) throws(SchemaError) -> [JSONValue] {
        guard isArray else { throw error("must be an array") }
        guard Int(node.count) <= limit else { throw error("must have at most \(limit) elements") }
        var elements: [JSONValue] = []
        elements.reserveCapacity(Int(node.count))
        var child = index + 1
        for _ in 0..<node.count {
            elements.append(JSONValue(document: document, index: child))
            child = Int(document.nodes[child].next)
        }
        return elements
    }

    /// The members of an object that may have any names.
    public func members() throws(SchemaError) -> [(name: [UInt8], value: JSONValue)] {
        guard isObject else { throw error("must be an object") }
        var members: [(name: [UInt8], value: JSONValue)] = []
        members.reserveCapacity(Int(node.count))
        forEachMember { name, value in
            members.append((JSONEscape.resolve(document.source, document.nodes[name]), value))
        }
        return members
    }

    /// An object of which every member has one of the given names.
    public func object(_ names: [StaticString]) throws(SchemaError) -> JSONObject {
        guard isObject else { throw error("must be an object") }
        var unknown: JSONValue?
        forEachMember { name, value in
            if unknown == nil, !names.contains(where: { document.name(name, is: $0) }) {
                unknown = value
            }
        }
        if let unknown { throw unknown.error("is not a member that is known here") }
        return JSONObject(value: self)
    }

    /// An object that may have members of any names, most of which nobody asks for; nil when it is none.
    public var openObject: JSONObject? { isObject ? JSONObject(value: self) : nil }

    /// Whether it is an object that has a member of this name.
    public func hasMember(_ name: StaticString) -> Bool {
        isObject && JSONObject(value: self)[name] != nil
    }

    /// One of an enumeration's raw values.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) throws(SchemaError) -> Choice where Choice.RawValue == String {
        let text = isString ? String(decoding: try string(), as: UTF8.self) : ""
        guard
            let choice = Choice.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) })
        else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("must be one of: \(choices)")
        }
        return choice
    }

    /// An error about this value.
    public func error(_ detail: String) -> SchemaError {
        SchemaError(pointer: pointer, detail: detail)
    }

    /// The value's JSON pointer.
    public var pointer: String { document.pointer(to: index) }

    func forEachMember(_ body: (_ name: Int, _ value: JSONValue) -> Void) {
        var name = index + 1
        for _ in 0..<node.count {
            body(name, JSONValue(document: document, index: name + 1))
            name = Int(document.nodes[name + 1].next)
        }
    }
}

/// An object whose members' names have been checked.
public struct JSONObject: Sendable {
    /// The object itself.
    public let value: JSONValue

    /// A member, or nil when the object does not have it.
    public subscript(_ name: StaticString) -> JSONValue? {
        var found: JSONValue?
        value.forEachMember { candidate, member in
            if value.document.name(candidate, is: name) { found = member }
        }
        return found
    }

    /// A member that must be there.
    public func required(_ name: StaticString) throws(SchemaError) -> JSONValue {
        guard let member = self[name] else { throw missing(name) }
        return member
    }

    /// The error of a member that is not there; it points at where the member would be.
    public func missing(_ name: StaticString) -> SchemaError {
        SchemaError(pointer: "\(value.pointer)/\(name)", detail: "is required")
    }
}

extension JSONDocument {
    func name(_ index: Int, is expected: StaticString) -> Bool {
        let node = nodes[index]
        // Most names that are compared are of another length.
        guard node.hasEscapes || Int(node.end - node.start) == expected.utf8CodeUnitCount else {
            return false
        }
        return expected.withUTF8Buffer { text in
            if node.hasEscapes { return JSONEscape.resolve(source, node).elementsEqual(text) }
            return source[Int(node.start)..<Int(node.end)].elementsEqual(text)
        }
    }
}
