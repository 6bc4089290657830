// SPDX-License-Identifier: Apache-2.0

/// What may stand in a JSON string as it is (RFC 8259 section 7).
public enum JSONText {
    /// How many octets from the start on are plain: ASCII that neither ends a string nor needs an escape.
    ///
    /// Complexity: O(n), eight octets at a time; nearly every string is plain from end to end.
    @inlinable
    public static func plainRun(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(text)
        var index = 0
        while index &+ 32 <= raw.count {
            let found = vectorMarks(raw, index) | vectorMarks(raw, index &+ 16)
            guard (found.x | found.y) & tops == 0 else { break }
            index &+= 32
        }
        while index &+ 8 <= raw.count {
            let found = marks(raw, index)
            guard found == 0 else { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < raw.count, isPlain(raw[index]) { index &+= 1 }
        return index
    }

    /// The same where the run ends within two words of a longer text; nil where that is not to be told so soon.
    @inline(__always)
    static func shortPlainRun(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        let raw = UnsafeRawBufferPointer(text)
        guard raw.count >= 16 else { return nil }
        let first = marks(raw, 0)
        if first != 0 { return first.trailingZeroBitCount / 8 }
        let second = marks(raw, 8)
        return second == 0 ? nil : 8 &+ second.trailingZeroBitCount / 8
    }

    /// Whether a text stands for itself.
    @inlinable
    public static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        plainRun(text) == text.count
    }

    /// Appends a text as the content of a string; what is not UTF-8 must not come here.
    public static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var rest = text
        while true {
            let run = plainRun(rest)
            output.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<run]))
            guard run < rest.count else { return }
            append(rest[run], to: &output)
            rest = UnsafeBufferPointer(rebasing: rest[(run + 1)...])
        }
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0x0A: output.append(contentsOf: "\\n".utf8)
        case 0x0D: output.append(contentsOf: "\\r".utf8)
        case 0x09: output.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            output.append(contentsOf: "\\u00".utf8)
            output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let low = byte & 0x0F
            output.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: output.append(byte)
        }
    }

    @inlinable
    static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x80 ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Looks at eight octets at once, and marks the top bit of each that is not plain: one that has that bit, or gets it
    /// by subtracting what it must not be below or equal to.
    ///
    /// The lowest mark is where the first of them stands; those above it may be due to what the subtraction borrowed.
    @inlinable @inline(__always)
    static func marks(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let low = word &- ones &* 0x20
        let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        return (word | low | (quote &- ones) | (backslash &- ones)) & tops
    }

    /// The same for sixteen at once, with other bits beside.
    @inlinable @inline(__always)
    static func vectorMarks(_ raw: UnsafeRawBufferPointer, _ index: Int) -> SIMD2<UInt64> {
        let words = raw.loadUnaligned(fromByteOffset: index, as: SIMD2<UInt64>.self)
        let low = words &- SIMD2(repeating: ones &* 0x20)
        let quote = words ^ SIMD2(repeating: ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = words ^ SIMD2(repeating: ones &* UInt64(UInt8(ascii: "\\")))
        return words | low | (quote &- SIMD2(repeating: ones))
            | (backslash &- SIMD2(repeating: ones))
    }

    @inlinable static var tops: UInt64 { 0x8080_8080_8080_8080 }

    @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
}
