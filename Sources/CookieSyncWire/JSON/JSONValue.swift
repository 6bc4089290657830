// SPDX-License-Identifier: Apache-2.0

/// A value in a checked JSON text.
///
/// The accessors throw a `SchemaError` with the value's pointer when it is of another type than the
/// one asked for.
public struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    var node: JSONNode { document.nodes[index] }

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

    /// How many elements an array, or members an object has; 0 for anything else.
    var size: Int { Int(node.count) }

    /// Calls a closure with each element of an array, in order.
    @inline(__always)
    func forEachElement(
        _ body: (JSONValue) throws(SchemaError) -> Void
    ) throws(SchemaError) {
        guard isArray else { throw error("must be an array") }
        var child = index + 1
        for _ in 0..<size {
            try body(JSONValue(document: document, index: child))
            child = Int(document.nodes[child].next)
        }
    }

    /// The two elements of an array that must have as many; nil when it has more or less.
    func pair() throws(SchemaError) -> (JSONValue, JSONValue)? {
        guard isArray else { throw error("must be an array") }
        guard size == 2 else { return nil }
        let first = index + 1
        return (
            JSONValue(document: document, index: first),
            JSONValue(document: document, index: Int(document.nodes[first].next))
        )
    }

    /// The elements of an array.
    public func elements(atMost limit: Int = .max) throws(SchemaError) -> [JSONValue] {
        guard isArray else { throw error("must be an array") }
        guard size <= limit else { throw error("must have at most \(limit) elements") }
        var elements: [JSONValue] = []
        elements.reserveCapacity(size)
        try forEachElement { elements.append($0) }
        return elements
    }

    /// The members of an object that may have any names.
    public func members() throws(SchemaError) -> [(name: [UInt8], value: JSONValue)] {
        guard isObject else { throw error("must be an object") }
        var members: [(name: [UInt8], value: JSONValue)] = []
        members.reserveCapacity(size)
        forEachMember { name, value in
            members.append((JSONEscape.resolve(document.source, name.node), value))
        }
        return members
    }

    /// An object of which every member has one of the given names.
    public func object(_ names: [StaticString]) throws(SchemaError) -> JSONObject {
        guard isObject else { throw error("must be an object") }
        var unknown: JSONValue?
        forEachMember { name, value in
            if unknown == nil, !names.contains(where: { name.isName($0) }) { unknown = value }
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

    /// Calls a closure with each member's name, which is a string, and value, in order.
    @inline(__always)
    func forEachMember<Failure: Error>(
        _ body: (_ name: JSONValue, _ value: JSONValue) throws(Failure) -> Void
    ) throws(Failure) {
        var name = index + 1
        for _ in 0..<size {
            try body(
                JSONValue(document: document, index: name),
                JSONValue(document: document, index: name + 1))
            name = Int(document.nodes[name + 1].next)
        }
    }
}

// What is asked of a node that is a string, be it a value or a member's name.
extension JSONValue {
    /// Whether it is a member's name that reads so.
    func isName(_ expected: StaticString) -> Bool {
        let (node, text) = (node, expected.bytes)
        // Most names that are compared are of another length.
        guard node.hasEscapes || Int(node.end &- node.start) == text.count else { return false }
        return document.source.withUnsafeBufferPointer { source in
            if node.hasEscapes { return JSONEscape.resolve(source, node).elementsEqual(text) }
            let name = UnsafeBufferPointer(rebasing: source[Int(node.start)..<Int(node.end)])
            for index in 0..<min(name.count, text.count) where name[index] != text[index] {
                return false
            }
            return true
        }
    }

    /// The bits of the lengths that a member's name may have: its own, any where it has escapes.
    var lengthsOfName: UInt64 {
        let node = node
        return node.hasEscapes ? .max : JSONObject.length(Int(node.end &- node.start))
    }

    /// Where the content of a string stands in the text; nil when it has escapes.
    func plainRange() throws(SchemaError) -> Range<Int32>? {
        let node = node
        guard node.kind == .string else { throw error("must be a string") }
        return node.hasEscapes ? nil : node.start..<node.end
    }

    /// The UTF-8 of a string, escapes resolved, as a part of the text where it has none.
    ///
    /// It costs no copy, but keeps the whole text in memory.
    public func octets() throws(SchemaError) -> ArraySlice<UInt8> {
        guard let range = try plainRange() else { return try string()[...] }
        return document.source[Int(range.lowerBound)..<Int(range.upperBound)]
    }
}
