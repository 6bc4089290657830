// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension StaticString {
    /// The UTF-8 bytes.
    var bytes: UnsafeBufferPointer<UInt8> {
        // Only a literal of one scalar without pointer representation could be otherwise, and none is written here.
        guard hasPointerRepresentation else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension Span<UInt8> {
    func isExactly(_ text: StaticString) -> Bool {
        equals(text.bytes.span)
    }

    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        equalsIgnoringCase(text.bytes.span)
    }

    /// Compares, taking the letters A–Z and a–z for the same and no other byte for any other.
    func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] {
            guard self[index].lowercasedASCII == other[index].lowercasedASCII else { return false }
        }
        return true
    }

    /// Whether this is a token (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && ByteSet.token.containsAll(self) }

    /// Whether a field's value may consist of this: no control character but TAB (RFC 9110 §5.5); obs-text passes.
    var isFieldContent: Bool {
        guard count >= 8 else { return isFieldContent(in: 0..<count) }
        let raw = RawSpan(_elements: self)
        let last = count - 8
        var found: UInt64 = 0
        var index = 0
        while index < last {
            found |= Self.controls(raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        // The last eight, some of which may have been looked at before.
        found |= Self.controls(raw.unsafeLoadUnaligned(fromByteOffset: last, as: UInt64.self))
        return found == 0 || isFieldContent(in: 0..<count)
    }

    private func isFieldContent(in range: Range<Int>) -> Bool {
        for index in range {
            let byte = self[index]
            if byte < ASCII.space ? byte != ASCII.tab : byte == ASCII.delete { return false }
        }
        return true
    }

    /// Not zero if one of eight bytes is below 0x20 or is 0x7F.
    ///
    /// Never misses one; a false alarm costs a slower look.
    private static func controls(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- ones &* 0x20) & ~word & tops
        let deletes = word ^ (ones &* 0x7F)
        let equal = (deletes &- ones) & ~deletes & tops
        return below | equal
    }

    /// Where a byte first occurs at or after an index.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
    var isDigit: Bool { self &- ASCII.zero < 10 }

    /// The value of a hexadecimal digit.
    var hexValue: UInt8? {
        if isDigit { return self - ASCII.zero }
        let letter = lowercasedASCII &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes that there is room for.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        withUnsafeMutableBufferPointer { buffer, count in
            bytes.withUnsafeBufferPointer { bytes in
                guard let source = bytes.baseAddress, let target = buffer.baseAddress else {
                    return
                }
                precondition(bytes.count <= buffer.count - count, "no room")
                (target + count).initialize(from: source, count: bytes.count)
                count += bytes.count
            }
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(text.bytes.span)
    }

    /// Appends a number in decimal, none below 0.
    mutating func append(decimal value: Int) {
        let value = UInt(Swift.max(0, value))
        var divisor: UInt = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(ASCII.zero + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

extension [UInt8] {
    mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    mutating func append(_ text: StaticString) {
        append(contentsOf: text.bytes)
    }

    /// Appends a number in hexadecimal.
    mutating func append(hexadecimal value: Int) {
        var shift = 60
        while shift > 0, value >> shift == 0 { shift -= 4 }
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
            append(digit < 10 ? ASCII.zero + digit : UInt8(ascii: "a") + digit - 10)
            shift -= 4
        }
    }
}
