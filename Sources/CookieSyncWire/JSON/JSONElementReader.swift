// SPDX-License-Identifier: Apache-2.0

// A strict reader for JSON that comes in pieces and is larger than what is to be held.
//
// It checks the grammar of the whole text byte by byte, in memory that does not grow with the text, and hands over the
// values at chosen places (`/cookies/*`), each as soon as it is complete, parsed as a document of its own. Everything
// else is passed over. What `JSONParser` refuses is refused here too, but for one thing: half a surrogate pair, which
// recordings have in the contents that they cut. In a wanted value it becomes U+0000, which nothing that matters has.

/// One step on the way from the root of a JSON text to a value.
public enum JSONStep: Sendable {
    /// Any element of an array, or any member of an object.
    case any
    /// The member of an object with this name.
    case member(StaticString)
}

/// A place in a text whose values are wanted.
public struct JSONPlace: Sendable {
    let steps: [JSONStep]
    let needsContent: Bool

    /// The values at the end of some steps.
    ///
    /// - Parameters:
    ///   - steps: The way from the root; none for the root itself.
    ///   - needsContent: Whether the values are to be parsed, or only announced.
    public init(_ steps: [JSONStep], needsContent: Bool = true) {
        self.steps = steps
        self.needsContent = needsContent
    }
}

/// A value that was read, and where it stands.
public struct JSONElement: Sendable {
    /// Its JSON pointer.
    public let pointer: String
    /// Which of the wanted places it stands at.
    public let place: Int
    /// The octet that it begins with: `[` for an array.
    public let firstOctet: UInt8
    /// The value; nil where only its place was asked for.
    public let value: JSONValue?
}

/// How much of a text in pieces is held at a time.
public struct JSONElementLimits: Hashable, Sendable {
    /// How deep arrays and objects may nest.
    public var depth = 512
    /// The most octets of a string in a wanted value; what is beyond is cut off, not refused.
    public var stringBytes = 1 << 20
    /// The most octets of a wanted value.
    public var elementBytes = 4 << 20
    /// The most names and values in a wanted value.
    public var tokens = 200_000

    /// The default limits.
    public init() {}
}

/// The reader.
public struct JSONElementReader: Sendable {
    /// What may come next where no token is open.
    enum Expectation: Sendable {
        case value, firstElement, firstName, name, colon, commaOrEnd, end
    }

    /// The token that is open.
    enum Token: Sendable {
        case none, string, escape, scalar
        case hexadecimal(left: Int, unit: UInt32)
        case multibyte(left: Int, low: UInt8, high: UInt8)
    }

    /// A container that is open.
    struct Frame: Sendable {
        let isObject: Bool
        var count = 0
        var name: [UInt8] = []
    }

    let limits: JSONElementLimits
    let places: [JSONPlace]
    var expectation = Expectation.value
    var token = Token.none
    var frames: [Frame] = []
    var offset = 0
    /// Whether the open string is a member's name.
    var isName = false
    /// Whether the open string's last escape was the first half of a surrogate pair.
    var needsLowSurrogate = false
    /// The open name, or the open number or literal, outside of a captured value.
    var text: [UInt8] = []
    var capture: Capture?
    /// What has been read and not been fetched.
    public var elements: [JSONElement] = []

    /// A wanted value that is open.
    struct Capture: Sendable {
        let place: Int
        let depth: Int
        let start: Int
        let firstOctet: UInt8
        var bytes: [UInt8] = []
        var stringBytes = 0
    }

    /// Nothing has come yet.
    public init(_ places: [JSONPlace], limits: JSONElementLimits = JSONElementLimits()) {
        self.places = places
        self.limits = limits
    }

    /// Takes the next piece of the text.
    ///
    /// O(length of the piece).
    public mutating func take(_ piece: ArraySlice<UInt8>) throws(JSONError) {
        for byte in piece {
            try take(byte)
            offset += 1
            if let capture, capture.bytes.count > limits.elementBytes {
                throw .tooLarge(offset: capture.start, what: "an element")
            }
        }
    }

    /// Says that the text is complete.
    public mutating func finish() throws(JSONError) {
        if case .scalar = token { try endScalar() }
        guard case .none = token, case .end = expectation else {
            throw malformed("the rest of the text")
        }
    }

    private mutating func take(_ byte: UInt8) throws(JSONError) {
        switch token {
        case .none: try begin(byte)
        case .scalar:
            guard !JSONElementReader.isScalar(byte) else {
                guard text.count < 1024 else { throw malformed("a shorter number") }
                text.append(byte)
                return keep(byte)
            }
            try endScalar()
            try begin(byte)
        default: try takeInString(byte)
        }
    }

    /// Takes a byte outside of strings and numbers.
    private mutating func begin(_ byte: UInt8) throws(JSONError) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: keep(byte)
        case UInt8(ascii: "{"): try open(isObject: true)
        case UInt8(ascii: "["): try open(isObject: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): try close(byte)
        case UInt8(ascii: ","):
            guard case .commaOrEnd = expectation, let last = frames.indices.last else {
                throw malformed("a value")
            }
            frames[last].count += 1
            expectation = frames[last].isObject ? .name : .value
            keep(byte)
        case UInt8(ascii: ":"):
            guard case .colon = expectation else { throw malformed("a value") }
            expectation = .value
            keep(byte)
        case UInt8(ascii: "\""):
            switch expectation {
            case .name, .firstName: isName = true
            default:
                try beginValue(byte)
                isName = false
            }
            token = .string
            text.removeAll(keepingCapacity: true)
            capture?.stringBytes = 0
            keep(byte)
        case let byte where JSONElementReader.isScalar(byte):
            try beginValue(byte)
            token = .scalar
            text = [byte]
            keep(byte)
        default: throw malformed("a value")
        }
    }

    private mutating func open(isObject: Bool) throws(JSONError) {
        let bracket = UInt8(ascii: isObject ? "{" : "[")
        try beginValue(bracket)
        guard frames.count < limits.depth else { throw malformed("less deep nesting") }
        frames.append(Frame(isObject: isObject))
        expectation = isObject ? .firstName : .firstElement
        keep(bracket)
    }

    private mutating func close(_ byte: UInt8) throws(JSONError) {
        guard let frame = frames.last, frame.isObject == (byte == UInt8(ascii: "}")) else {
            throw malformed("a value")
        }
        switch expectation {
        case .commaOrEnd, .firstName, .firstElement: break
        default: throw malformed("a value")
        }
        frames.removeLast()
        keep(byte)
        try endValue()
    }

    /// Notes that a value begins, and begins to capture it where it is wanted.
    private mutating func beginValue(_ byte: UInt8) throws(JSONError) {
        switch expectation {
        case .value, .firstElement: break
        case .name, .firstName: throw malformed("a member's name in double quotes")
        case .colon: throw malformed("a colon")
        case .commaOrEnd: throw malformed("a comma or the end")
        case .end: throw malformed("the end of the text")
        }
        guard capture == nil,
            let place = places.firstIndex(where: { isHere($0.steps) })
        else { return }
        if places[place].needsContent {
            capture = Capture(
                place: place, depth: frames.count, start: offset, firstOctet: byte)
        } else {
            elements.append(
                JSONElement(pointer: pointer, place: place, firstOctet: byte, value: nil))
        }
    }

    mutating func endValue() throws(JSONError) {
        expectation = frames.isEmpty ? .end : .commaOrEnd
        guard let capture, capture.depth == frames.count else { return }
        self.capture = nil
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: capture.bytes,
                limits: JSONLimits(
                    depth: limits.depth, tokens: limits.tokens, stringBytes: limits.stringBytes + 8)
            )
        } catch {
            switch error {
            case .malformed(let offset, let expected):
                throw .malformed(offset: capture.start + offset, expected: expected)
            case .tooLarge(_, let what): throw .tooLarge(offset: capture.start, what: what)
            }
        }
        elements.append(
            JSONElement(
                pointer: pointer, place: capture.place, firstOctet: capture.firstOctet,
                value: document.root))
    }

    private mutating func endScalar() throws(JSONError) {
        token = .none
        if capture == nil {
            do throws(JSONError) {
                _ = try JSONDocument(parsing: text)
            } catch {
                throw .malformed(offset: offset - text.count, expected: "a value")
            }
        }
        try endValue()
    }

    private func isHere(_ steps: [JSONStep]) -> Bool {
        guard steps.count == frames.count else { return false }
        return zip(steps, frames).allSatisfy { step, frame in
            switch step {
            case .any: true
            case .member(let name):
                frame.isObject && frame.name.elementsEqual(name.bytes)
            }
        }
    }

    /// The way to the value that begins or ends here.
    private var pointer: String {
        var pointer: [UInt8] = []
        for frame in frames {
            pointer.append(UInt8(ascii: "/"))
            guard frame.isObject else {
                DecimalDigits.append(UInt64(frame.count), to: &pointer)
                continue
            }
            for byte in frame.name.prefix(256) {
                switch byte {
                case UInt8(ascii: "~"): pointer += Array("~0".utf8)
                case UInt8(ascii: "/"): pointer += Array("~1".utf8)
                default: pointer.append(byte)
                }
            }
        }
        return String(decoding: pointer, as: UTF8.self)
    }

    func malformed(_ expected: String) -> JSONError {
        .malformed(offset: offset, expected: expected)
    }

    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
