// SPDX-License-Identifier: Apache-2.0

import Cookies
import Glibc

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are exactly this text.
    func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { isSame(as: $0) }
    }

    /// Whether the bytes are this text, given in lower case, in any case of their ASCII letters.
    func isNamed(_ lowercased: StaticString) -> Bool {
        guard count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { text in
            for index in indices where self[index].lowercased != text[index] { return false }
            return true
        }
    }

    /// Where a byte first occurs in a range.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let baseAddress, !range.isEmpty,
            let found = memchr(baseAddress + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(baseAddress).distance(to: UnsafeRawPointer(found))
    }

    /// A part of the bytes.
    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: self[range])
    }

    /// The bytes without spaces and tabs at either end.
    var trimmed: UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, count)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return slice(start..<end)
    }

    /// Calls a closure with each piece between separators, in order.
    func forEachPiece(
        separatedBy separator: UInt8, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var start = 0
        while let end = firstIndex(of: separator, in: start..<count) {
            body(slice(start..<end))
            start = end + 1
        }
        body(slice(start..<count))
    }
}

extension UInt8 {
    /// The byte, an ASCII capital made small.
    var lowercased: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }

    /// Whether it is a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether it is an ASCII digit.
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Percent-encoding (RFC 3986 section 2.1).
///
/// A `+` stands for itself.
enum PercentEncoding {
    /// Appends the bytes that a text stands for; false when a `%` is not followed by two hexadecimal digits.
    static func decode(
        _ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]
    ) -> Bool {
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                output.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count, let high = text[index + 1].hexadecimalValue,
                let low = text[index + 2].hexadecimalValue
            else { return false }
            output.append(high << 4 | low)
            index += 3
        }
        return true
    }
}

extension OutputSpan<UInt8> {
    /// Appends a text that there is room for.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        withUnsafeMutableBufferPointer { buffer, count in
            text.withUTF8Buffer { text in
                guard let source = text.baseAddress, let target = buffer.baseAddress else { return }
                precondition(text.count <= buffer.count - count, "no room")
                (target + count).initialize(from: source, count: text.count)
                count += text.count
            }
        }
    }
}
