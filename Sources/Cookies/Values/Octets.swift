// SPDX-License-Identifier: Apache-2.0

extension UnsafeBufferPointer<UInt8> {
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
