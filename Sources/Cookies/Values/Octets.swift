// SPDX-License-Identifier: Apache-2.0

/// Questions about eight octets at once; a yes may be wrong, a no is not.
enum ByteWords {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// Whether one of them may be below a limit of at most 0x80: then it borrows from its top bit, or the one below it
    /// does.
    static func mayHoldBelow(_ limit: UInt8, _ word: UInt64) -> Bool {
        (word &- ones &* UInt64(limit)) & ~word & tops != 0
    }

    /// Whether one of them may be this octet.
    static func mayHold(_ byte: UInt8, _ word: UInt64) -> Bool {
        mayHoldBelow(1, word ^ ones &* UInt64(byte))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where an octet stands first, or the end; for long runs in which it is rare.
    ///
    /// Complexity: O(n), eight octets at a time.
    func firstIndexByWords(of byte: UInt8) -> Int {
        let raw = UnsafeRawBufferPointer(self)
        var index = 0
        while index &+ 8 <= raw.count,
            !ByteWords.mayHold(byte, raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        {
            index &+= 8
        }
        while index < raw.count, raw[index] != byte { index &+= 1 }
        return index
    }

    /// Whether these are the same octets as others.
    ///
    /// Compares eight at a time; `elementsEqual` would take each for itself, which shows in every answer.
    ///
    /// - Complexity: O(n).
    public func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        func differ<Word: FixedWidthInteger & BitwiseCopyable>(_ index: Int, _: Word.Type) -> Word {
            left.loadUnaligned(fromByteOffset: index, as: Word.self)
                ^ right.loadUnaligned(fromByteOffset: index, as: Word.self)
        }
        // The last word may overlap the one before it.
        if count >= 8 {
            var index = 0
            while index < count - 8 {
                guard differ(index, UInt64.self) == 0 else { return false }
                index &+= 8
            }
            return differ(count - 8, UInt64.self) == 0
        }
        if count >= 4 { return differ(0, UInt32.self) | differ(count - 4, UInt32.self) == 0 }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }

    /// Whether these are the same octets as others.
    public func isSame(as other: [UInt8]) -> Bool {
        other.withUnsafeBufferPointer { isSame(as: $0) }
    }
}
