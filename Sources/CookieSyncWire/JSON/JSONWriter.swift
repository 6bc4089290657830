// SPDX-License-Identifier: Apache-2.0

/// Writes JSON, with commas where they belong.
///
/// The caller opens and closes in pairs and gives each member of an object a name; nothing else is
/// checked.
///
/// Memory of its own rather than an array: there is room for a piece or there is not, and nothing else is asked before it
/// is copied. An array asks for each piece who else holds it, which took half of what a body of small members costs.
public struct JSONWriter: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<UInt8>
    private var count = 0
    private var needsComma = false

    /// A writer with room for so many octets at first.
    public init(reserving room: Int = 256) {
        memory = .allocate(capacity: Swift.max(room, 1))
    }

    deinit { memory.deallocate() }

    /// What has been written.
    ///
    /// Complexity: O(n), as it is copied.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(rebasing: memory[..<count])) }

    /// Appends what has been written to other bytes.
    ///
    /// Complexity: O(n).
    public func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: memory[..<count]))
    }

    /// Opens an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Closes an object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Opens an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Closes an array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, which must need no escapes.
    public mutating func name(_ name: StaticString) {
        let name = name.bytes
        reserve(name.count + 4)
        separate()
        put(UInt8(ascii: "\""))
        put(name)
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string; bytes that are not UTF-8 must not come here.
    public mutating func string(_ text: [UInt8]) {
        text.withUnsafeBufferPointer { string($0) }
    }

    /// Writes a string; bytes that are not UTF-8 must not come here.
    public mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        guard JSONText.isPlain(text) else {
            var escaped: [UInt8] = []
            JSONText.append(text, to: &escaped)
            return escaped.withUnsafeBufferPointer { quote($0) }
        }
        quote(text)
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// Writes an array of strings.
    public mutating func strings(_ texts: [[UInt8]]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a whole number.
    public mutating func integer(_ value: some BinaryInteger) {
        let (magnitude, isNegative) = (UInt64(value.magnitude), value < 0)
        reserve(DecimalDigits.maximumBytes + 2)
        separate()
        if isNegative { put(UInt8(ascii: "-")) }
        write { DecimalDigits.append(magnitude, to: &$0) }
    }

    /// Writes milliseconds as a number of seconds, with a fraction where there is one.
    public mutating func seconds(milliseconds: Int64) {
        let magnitude = milliseconds.magnitude
        reserve(DecimalDigits.maximumBytes + 6)
        separate()
        if milliseconds < 0 { put(UInt8(ascii: "-")) }
        write { DecimalDigits.append(magnitude / 1000, to: &$0) }
        guard magnitude % 1000 != 0 else { return }
        put(UInt8(ascii: "."))
        for divisor: UInt64 in [100, 10, 1] {
            put(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
        }
    }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes `null`.
    public mutating func null() { word("null") }

    /// Writes a time given in milliseconds since the epoch, or `null`.
    public mutating func time(_ milliseconds: Int64?) {
        guard let milliseconds else { return null() }
        reserve(RFC3339.maximumBytes + 3)
        separate()
        put(UInt8(ascii: "\""))
        write { RFC3339.append(milliseconds: milliseconds, to: &$0) }
        put(UInt8(ascii: "\""))
    }

    /// Writes a member with some bytes: as a string under `name` where they are UTF-8, otherwise in base 64 under
    /// `base64`.
    public mutating func member(
        _ name: StaticString, orBase64 base64: StaticString, _ text: [UInt8]
    ) {
        if text.withUnsafeBufferPointer(JSONText.isPlain) {
            self.name(name)
            text.withUnsafeBufferPointer { quote($0) }
        } else if UTF8Text.isValid(text) {
            self.name(name)
            string(text)
        } else {
            var encoded: [UInt8] = []
            Base64.encode(text, to: &encoded)
            self.name(base64)
            encoded.withUnsafeBufferPointer { quote($0) }
        }
    }

    private mutating func open(_ bracket: UInt8) {
        reserve(2)
        separate()
        put(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        reserve(1)
        put(bracket)
        needsComma = true
    }

    /// Writes a text that needs no escapes as a string.
    private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 3)
        separate()
        put(UInt8(ascii: "\""))
        put(text)
        put(UInt8(ascii: "\""))
    }

    private mutating func word(_ text: StaticString) {
        let text = text.bytes
        reserve(text.count + 1)
        separate()
        put(text)
    }

    @inline(__always)
    private mutating func reserve(_ room: Int) {
        if memory.count &- count < room { grow(room) }
    }

    @inline(never)
    private mutating func grow(_ room: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(
            capacity: Swift.max(memory.count * 2, count + room))
        _ = larger.moveInitialize(fromContentsOf: memory[..<count])
        memory.deallocate()
        memory = larger
    }

    // What follows writes where `reserve` has made room.

    @inline(__always)
    private mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
        needsComma = true
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        memory.initializeElement(at: count, to: byte)
        count &+= 1
    }

    private mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= memory.count &- count, "no room")
        guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
        (target + count).initialize(from: source, count: bytes.count)
        count &+= bytes.count
    }

    private mutating func write(_ body: (inout OutputSpan<UInt8>) -> Void) {
        let rest = UnsafeMutableBufferPointer(rebasing: memory[count...])
        var output = OutputSpan(buffer: rest, initializedCount: 0)
        body(&output)
        count &+= output.finalize(for: rest)
    }
}

/// Whole numbers in decimal digits.
public enum DecimalDigits {
    /// Appends a number's digits, after a minus sign if it is negative.
    ///
    /// No heap allocation once there is room.
    public static func append(
        _ magnitude: UInt64, negative: Bool = false, to output: inout [UInt8]
    ) {
        output.append(addingCapacity: maximumBytes + 1) { output in
            if negative { output.append(UInt8(ascii: "-")) }
            append(magnitude, to: &output)
        }
    }

    /// How many digits a number has at most.
    public static let maximumBytes = 20

    /// Appends a number's digits where there is room for them.
    public static func append(_ magnitude: UInt64, to output: inout OutputSpan<UInt8>) {
        var divisor: UInt64 = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// The number that a text of decimal digits stands for, or nil when it is none or too large.
    public static func parse(_ text: some Collection<UInt8>) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in text {
            guard byte &- UInt8(ascii: "0") < 10 else { return nil }
            let product = value.multipliedReportingOverflow(by: 10)
            let sum = product.partialValue.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !product.overflow, !sum.overflow else { return nil }
            value = sum.partialValue
        }
        return value
    }
}
