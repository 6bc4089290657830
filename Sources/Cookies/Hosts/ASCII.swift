// SPDX-License-Identifier: Apache-2.0

/// Predicates on octets.
///
/// Everything here knows A–Z only: no locale, no Unicode folding.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let space: UInt8 = 0x20
    static let percent: UInt8 = 0x25
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let backslash: UInt8 = 0x5C

    /// A control character that a cookie may not hold: all but TAB (section 5.6 step 1).
    static func isForbiddenControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != tab) || byte == 0x7F
    }

    /// Whether such a character is among the octets.
    ///
    /// Complexity: O(n), many octets at a time as long as none of them may be one: values are long.
    static func hasForbiddenControl(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.firstIndexByVectors(of: ForbiddenControl.self) < bytes.count
    }

    /// The specification's WSP: space and TAB, nothing else.
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.map(lowercased) }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// Whether the octets are this word in any case; the word is given in lower case.
    static func matches(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        return hasPrefix(bytes, word)
    }

    /// Whether the octets begin with this word in any case; the word is given in lower case.
    static func hasPrefix(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
        guard bytes.count >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            zip(bytes, letters).allSatisfy { lowercased($0) == $1 }
        }
    }
}

/// A control character that a cookie may not hold.
enum ForbiddenControl: OctetKind {
    @inline(__always)
    static func marks(_ octets: Vector) -> Vector {
        OctetVectors.marks(below: 0x20, octets) | OctetVectors.marks(0x7F, octets)
    }

    static func holds(_ octet: UInt8) -> Bool { ASCII.isForbiddenControl(octet) }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// The part of `range` that is left when blanks are cut from both ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, ASCII.isBlank(self[start]) { start += 1 }
        while end > start, ASCII.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }
}
