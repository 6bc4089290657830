// SPDX-License-Identifier: Apache-2.0

/// Marks octets among sixteen at once, each by its top bit; a mark may be wrong, a missing one is not.
enum OctetVectors {
    typealias Vector = SIMD2<UInt64>

    private static func all(_ octet: UInt8) -> Vector {
        Vector(repeating: 0x0101_0101_0101_0101 &* UInt64(octet))
    }

    /// Marks those below a limit of at most 0x40: they borrow from their top bit, or the one below them does.
    ///
    /// Those of 0x80 and above may be marked too.
    @inline(__always)
    static func marks(below limit: UInt8, _ vector: Vector) -> Vector { vector &- all(limit) }

    /// Marks those that are this octet, which is below 0x80; those of 0x80 and above may be marked too.
    @inline(__always)
    static func marks(_ octet: UInt8, _ vector: Vector) -> Vector {
        marks(below: 1, vector ^ all(octet))
    }

    /// Whether a top bit is set.
    @inline(__always)
    static func hasMark(_ vector: Vector) -> Bool {
        (vector.x | vector.y) & 0x8080_8080_8080_8080 != 0
    }
}

/// A kind of octets below 0x80 that is looked for.
protocol OctetKind {
    typealias Vector = OctetVectors.Vector

    /// Marks the octets that may be of the kind; what it marks from 0x80 on is not looked at.
    static func marks(_ octets: Vector) -> Vector
    /// Whether an octet is of the kind.
    static func holds(_ octet: UInt8) -> Bool
}

extension UnsafeBufferPointer<UInt8> {
    /// Where an octet of some kind stands first, or the end; for long runs in which it is rare.
    ///
    /// Complexity: O(n), thirty-two octets at a time where nothing is marked.
    func firstIndexByVectors<Kind: OctetKind>(of kind: Kind.Type) -> Int {
        let raw = UnsafeRawBufferPointer(self)
        @inline(__always)
        func found(at index: Int) -> OctetVectors.Vector {
            let octets = raw.loadUnaligned(
                fromByteOffset: index, as: OctetVectors.Vector.self)
            return kind.marks(octets) & ~octets
        }
        var index = 0
        while index < raw.count {
            while index &+ 32 <= raw.count,
                !OctetVectors.hasMark(found(at: index) | found(at: index &+ 16))
            {
                index &+= 32
            }
            if index &+ 16 <= raw.count, !OctetVectors.hasMark(found(at: index)) {
                index &+= 16
                continue
            }
            // The last sixteen, some of which have been looked at before.
            if index &+ 16 > raw.count, raw.count >= 16,
                !OctetVectors.hasMark(found(at: raw.count &- 16))
            {
                return raw.count
            }
            let end = Swift.min(index &+ 16, raw.count)
            while index < end {
                if kind.holds(raw[index]) { return index }
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
