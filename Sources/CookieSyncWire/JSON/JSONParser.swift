// SPDX-License-Identifier: Apache-2.0

// A strict reader for JSON (RFC 8259), in one pass over bytes.
//
// The pass checks everything there is to check about the text: grammar, UTF-8, escapes and surrogate pairs, depth,
// number of tokens, length of strings, and that nothing follows. It also finds names that an object has twice,
// compared after their escapes are resolved; the grammar allows them, so what becomes of them is decided later. It writes a tape, one node for each name and value in the order of the
// text, and copies nothing: strings stay ranges of the source until someone asks for their bytes. A byte order
// mark, comments, trailing commas and other encodings are not JSON and fail like any other byte out of place.

/// What a node of the tape is.
enum JSONKind: UInt8 {
    case null, yes, no, number, string, array, object
}

/// A name or value of the text.
struct JSONNode {
    let kind: JSONKind
    /// Whether a string has escapes, so that its bytes differ from the source's.
    var hasEscapes = false
    /// The first byte: of a string's content, of a number's text, of a container's bracket.
    let start: Int32
    /// The byte after the last one.
    let end: Int32
    /// The index of the node that follows this one and all it contains.
    let next: Int32
    /// How many elements an array, or members an object has.
    var count: Int32 = 0
}

/// The pass.
///
/// Its recursion is bounded by `JSONLimits.depth`. Whatever it reads of the source lies before its end: `next` stands for
/// a byte that no JSON has where there is none.
struct JSONParser {
    let source: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    var depth = 0
    var nodes: [JSONNode] = []
    /// Where the first name stands that its object had already.
    var duplicateName: Int?

    /// A parser at the start of a text, which must be shorter than 2 GiB.
    init(_ source: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.source = source
        self.limits = limits
    }

    /// Reads the whole text.
    mutating func parse() throws(JSONError) {
        // So that every position, and every number of nodes, fits into a node.
        guard source.count < Int(Int32.max) else {
            throw .tooLarge(offset: 0, what: "the text")
        }
        nodes.reserveCapacity(min(limits.tokens, 16 + source.count / 16))
        skipBlanks()
        try value()
        skipBlanks()
        guard position == source.count else { throw malformed("the end of the text") }
    }

    /// The byte at the position; 0 at the end, which stands for itself nowhere.
    @inline(__always)
    var next: UInt8 { position < source.count ? source[position] : 0 }

    private mutating func value() throws(JSONError) {
        switch next {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try literal("true", .yes)
        case UInt8(ascii: "f"): try literal("false", .no)
        case UInt8(ascii: "n"): try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw malformed("a value")
        }
    }

    private mutating func array() throws(JSONError) {
        let index = try open(.array)
        var count: Int32 = 0
        if !skip(UInt8(ascii: "]")) {
            while true {
                try value()
                count &+= 1
                skipBlanks()
                if skip(UInt8(ascii: "]")) { break }
                guard skip(UInt8(ascii: ",")) else { throw malformed("a comma or the array's end") }
            }
        }
        close(index, count: count)
    }

    private mutating func object() throws(JSONError) {
        let index = try open(.object)
        var count: Int32 = 0
        if !skip(UInt8(ascii: "}")) {
            while true {
                guard next == UInt8(ascii: "\"") else {
                    throw malformed("a member's name in double quotes")
                }
                try string()
                skipBlanks()
                guard skip(UInt8(ascii: ":")) else { throw malformed("a colon") }
                try value()
                count &+= 1
                skipBlanks()
                if skip(UInt8(ascii: "}")) { break }
                guard skip(UInt8(ascii: ",")) else {
                    throw malformed("a comma or the object's end")
                }
            }
        }
        close(index, count: count)
        findDuplicates(in: index)
    }

    private mutating func open(_ kind: JSONKind) throws(JSONError) -> Int {
        depth += 1
        guard depth <= limits.depth else {
            throw malformed("nesting of at most \(limits.depth) levels")
        }
        let index = nodes.count
        try append(
            JSONNode(kind: kind, start: Int32(truncatingIfNeeded: position), end: 0, next: 0))
        position += 1
        skipBlanks()
        return index
    }

    private mutating func close(_ index: Int, count: Int32) {
        depth -= 1
        let (kind, start) = (nodes[index].kind, nodes[index].start)
        nodes[index] = JSONNode(
            kind: kind, start: start, end: Int32(truncatingIfNeeded: position),
            next: Int32(truncatingIfNeeded: nodes.count), count: count)
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONKind) throws(JSONError) {
        let start = position
        let expected = text.bytes
        let matches =
            source.count - start >= expected.count
            && source[start..<start + expected.count].elementsEqual(expected)
        guard matches else { throw malformed("a value") }
        position += text.utf8CodeUnitCount
        try appendScalar(kind, from: start, to: position)
    }

    // -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
    private mutating func number() throws(JSONError) {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard position - start <= limits.stringBytes else {
            throw .tooLarge(offset: start, what: "a number")
        }
        try appendScalar(.number, from: start, to: position)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while next &- UInt8(ascii: "0") < 10 { position &+= 1 }
        guard position > start else { throw malformed("a digit") }
    }

    /// Takes a byte if it is the next one.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position &+= 1
        return true
    }

    /// Takes a byte and the blanks after it, if it is the next one.
    @inline(__always)
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard take(byte) else { return false }
        skipBlanks()
        return true
    }

    /// Passes blanks, of which most texts have none.
    @inline(__always)
    private mutating func skipBlanks() {
        if next <= 0x20 { skipAllBlanks() }
    }

    private mutating func skipAllBlanks() {
        while true {
            switch next {
            case 0x20, 0x09, 0x0A, 0x0D: position &+= 1
            default: return
            }
        }
    }

    mutating func appendScalar(
        _ kind: JSONKind, from start: Int, to end: Int, hasEscapes: Bool = false
    ) throws(JSONError) {
        try append(
            JSONNode(
                kind: kind, hasEscapes: hasEscapes, start: Int32(truncatingIfNeeded: start),
                end: Int32(truncatingIfNeeded: end),
                next: Int32(truncatingIfNeeded: nodes.count &+ 1)))
    }

    @inline(__always)
    private mutating func append(_ node: JSONNode) throws(JSONError) {
        guard nodes.count < limits.tokens else {
            throw .tooLarge(offset: position, what: "the number of names and values")
        }
        nodes.append(node)
    }

    func malformed(_ expected: String) -> JSONError {
        .malformed(offset: position, expected: expected)
    }
}
