// SPDX-License-Identifier: Apache-2.0

/// Marks octets among eight at once, each by its top bit; a mark may be wrong, a missing one is not.
enum ByteWords {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// Marks those below a limit of at most 0x80: they borrow from their top bit, or the one below them does.
    @inline(__always)
    static func marks(below limit: UInt8, _ word: UInt64) -> UInt64 {
        (word &- ones &* UInt64(limit)) & ~word & tops
    }

    /// Marks those that are this octet.
    @inline(__always)
    static func marks(_ byte: UInt8, _ word: UInt64) -> UInt64 {
        marks(below: 1, word ^ ones &* UInt64(byte))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where an octet of some kind stands first, or the end; for long runs in which it is rare.
    ///
    /// What `marks` leaves unmarked in a word is not of the kind. Complexity: O(n), thirty-two octets at a time where
    /// nothing is marked.
    @inline(__always)
    func firstIndexByWords(marks: (UInt64) -> UInt64, where isMeant: (UInt8) -> Bool) -> Int {
        let raw = UnsafeRawBufferPointer(self)
        func found(at index: Int) -> UInt64 {
            marks(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        var index = 0
        while index < raw.count {
            // Four words are asked together: that is one loop over vectors for the compiler.
            while index &+ 32 <= raw.count {
                var all: UInt64 = 0
                for word in 0..<4 { all |= found(at: index &+ word &* 8) }
                guard all == 0 else { break }
                index &+= 32
            }
            let end = Swift.min(index &+ 8, raw.count)
            if index &+ 8 == end, found(at: index) == 0 {
                index = end
                continue
            }
            while index < end {
                if isMeant(raw[index]) { return index }
                index &+= 1
            }
        }
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
