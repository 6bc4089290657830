// SPDX-License-Identifier: Apache-2.0

/// UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above U+10FFFF.
public enum UTF8Text {
    /// Whether all of the bytes are UTF-8.
    ///
    /// Complexity: O(n).
    public static func isValid(_ bytes: [UInt8]) -> Bool {
        var index = 0
        return bytes.withUnsafeBufferPointer { bytes in
            while index < bytes.count {
                guard bytes[index] >= 0x80 else {
                    index += 1
                    continue
                }
                guard let length = sequenceLength(in: bytes, at: index) else { return false }
                index += length
            }
            return true
        }
    }

    /// The length of the multi-byte sequence at an index, or nil when what stands there is none.
    static func sequenceLength(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        let lead = bytes[index]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= bytes.count, second ~= bytes[index + 1] else { return nil }
        for byte in bytes[index + 2..<index + length] where byte & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Appends a Unicode scalar.
    static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case 0..<0x80:
            output.append(UInt8(scalar))
        case 0x80..<0x800:
            output.append(UInt8(0xC0 | scalar >> 6))
            output.append(tail(0))
        case 0x800..<0x10000:
            output.append(UInt8(0xE0 | scalar >> 12))
            output.append(tail(6))
            output.append(tail(0))
        default:
            output.append(UInt8(0xF0 | (scalar >> 18) & 0x07))
            output.append(tail(12))
            output.append(tail(6))
            output.append(tail(0))
        }
    }
}
