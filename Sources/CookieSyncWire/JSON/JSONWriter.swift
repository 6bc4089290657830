// SPDX-License-Identifier: Apache-2.0

/// Appends JSON to bytes, with commas where they belong.
///
/// The caller opens and closes in pairs and gives each member of an object a name; nothing else is
/// checked.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer that appends to some bytes.
    public init(appendingTo bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// A writer with room for so many octets, which saves it from growing step by step.
    public init(reserving count: Int) {
        bytes = []
        bytes.reserveCapacity(count)
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
        let hasComma = needsComma
        bytes.append(addingCapacity: name.utf8CodeUnitCount + 4) { output in
            if hasComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            name.withUTF8Buffer { for byte in $0 { output.append(byte) } }
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    /// Writes a string; bytes that are not UTF-8 must not come here.
    public mutating func string(_ text: [UInt8]) {
        text.withUnsafeBufferPointer { string($0) }
    }

    /// Writes a string; bytes that are not UTF-8 must not come here.
    public mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        JSONText.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func plainString(_ text: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes += text
        bytes.append(UInt8(ascii: "\""))
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
        separate()
        DecimalDigits.append(UInt64(value.magnitude), negative: value < 0, to: &bytes)
    }

    /// Writes milliseconds as a number of seconds, with a fraction where there is one.
    public mutating func seconds(milliseconds: Int64) {
        separate()
        let magnitude = milliseconds.magnitude
        DecimalDigits.append(magnitude / 1000, negative: milliseconds < 0, to: &bytes)
        guard magnitude % 1000 != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        for divisor: UInt64 in [100, 10, 1] {
            bytes.append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
        }
    }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        append("null")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a time given in milliseconds since the epoch, or `null`.
    public mutating func time(_ milliseconds: Int64?) {
        guard let milliseconds else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        RFC3339.append(milliseconds: milliseconds, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a member with some bytes: as a string under `name` where they are UTF-8, otherwise in base 64 under
    /// `base64`.
    public mutating func member(
        _ name: StaticString, orBase64 base64: StaticString, _ text: [UInt8]
    ) {
        let isPlain = text.withUnsafeBufferPointer(JSONText.isPlain)
        guard !isPlain, !UTF8Text.isValid(text) else {
            self.name(name)
            return isPlain ? plainString(text) : string(text)
        }
        self.name(base64)
        separate()
        bytes.append(UInt8(ascii: "\""))
        Base64.encode(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
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
