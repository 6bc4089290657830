// SPDX-License-Identifier: Apache-2.0
// The fields of a response, kept as the bytes that go onto the wire ("Name: value" and CRLF per field), so that
// sending them is one copy. Every field of every response passes `append`, and nothing else writes into the bytes:
// this is the one function that keeps CR, LF and NUL out of response heads (RFC 9110 §5.5).

/// The fields of a response, in order.
///
/// A name must be a token, and a value must be free of control characters other than TAB; a field that breaks this
/// is refused and counted, never sent. `Connection`, `Content-Length`, `Date` and `Transfer-Encoding` are the
/// server's own and are refused too.
public struct HTTPFields: Sendable, Equatable {
    /// The field lines, each ended by CRLF.
    private(set) var lines: [UInt8] = []
    /// How many fields were refused since the last `removeAll`.
    public private(set) var refusedCount = 0

    /// No fields.
    public init() {}

    /// Fields of text, for answers that are not worth a fast path.
    public init(_ pairs: KeyValuePairs<String, String>) {
        for (name, value) in pairs { append(Array(name.utf8), Array(value.utf8)) }
    }

    /// Whether no field was accepted.
    public var isEmpty: Bool { lines.isEmpty }

    /// Adds a field.
    ///
    /// - Returns: Whether the field was accepted.
    @discardableResult
    public mutating func append(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        add(name.bytes.span, value.span)
    }

    /// Adds a field.
    ///
    /// - Returns: Whether the field was accepted.
    @discardableResult
    public mutating func append(_ name: StaticString, _ value: StaticString) -> Bool {
        add(name.bytes.span, value.bytes.span)
    }

    /// Adds a field.
    ///
    /// - Returns: Whether the field was accepted.
    @discardableResult
    public mutating func append(_ name: StaticString, _ value: [UInt8]) -> Bool {
        add(name.bytes.span, value.span)
    }

    /// Adds a field.
    ///
    /// - Returns: Whether the field was accepted.
    @discardableResult
    public mutating func append(_ name: [UInt8], _ value: [UInt8]) -> Bool {
        add(name.span, value.span)
    }

    /// Adds fields that were accepted before.
    public mutating func append(_ fields: HTTPFields) {
        lines.append(fields.lines.span)
        refusedCount += fields.refusedCount
    }

    /// The value of the first field of a name, compared without regard to case.
    ///
    /// - Complexity: O(n) in the size of all fields; meant for tests and cold paths.
    public func first(_ name: StaticString) -> [UInt8]? {
        var found: [UInt8]?
        forEach { candidate, value in
            if found == nil, candidate.span.equalsIgnoringCase(name) { found = Array(value) }
        }
        return found
    }

    /// Calls a closure with the name and the value of every field, in order.
    public func forEach(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        lines.withUnsafeBufferPointer { lines in
            var start = 0
            while let colon = lines[start...].firstIndex(of: ASCII.colon),
                let end = lines[colon...].firstIndex(of: ASCII.carriageReturn)
            {
                body(
                    UnsafeBufferPointer(rebasing: lines[start..<colon]),
                    UnsafeBufferPointer(rebasing: lines[(colon + 2)..<end]))
                start = end + 2
            }
        }
    }

    /// Whether there is a `Content-Encoding`.
    var hasContentEncoding: Bool { first("Content-Encoding") != nil }

    /// Whether `Vary` already says that the answer depends on `Accept-Encoding`, or on everything.
    var variesByEncoding: Bool {
        var found = false
        forEach { name, value in
            guard name.span.equalsIgnoringCase("Vary") else { return }
            FieldLine.forEachElement(of: value.span, in: 0..<value.count) { element in
                let option = value.span.extracting(element)
                if option.equalsIgnoringCase("Accept-Encoding") || option.isExactly("*") {
                    found = true
                }
            }
        }
        return found
    }

    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        refusedCount = 0
    }

    private mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        guard name.isToken, value.isFieldContent, !Self.belongsToServer(name) else {
            refusedCount += 1
            return false
        }
        lines.append(addingCapacity: name.count + value.count + 4) { line in
            line.append(name)
            line.append(ASCII.colon)
            line.append(ASCII.space)
            line.append(value)
            line.append(ASCII.carriageReturn)
            line.append(ASCII.lineFeed)
        }
        return true
    }

    private static func belongsToServer(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 4: name.equalsIgnoringCase("Date")
        case 10: name.equalsIgnoringCase("Connection")
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }
}
