// SPDX-License-Identifier: Apache-2.0

/// IPv4 addresses as the URL standard reads them: one to four numbers, each decimal, octal (`0`) or
/// hexadecimal (`0x`), the last filling all octets that remain.
///
/// `127.1`, `0x7f000001` and `2130706433` are one address, so a cookie filed under one spelling is
/// found under every other.
struct IPv4Address {
    let value: UInt32

    /// The address of that number.
    init(value: UInt32) { self.value = value }

    /// The address that this text spells; nil when it spells none.
    init?(_ text: ArraySlice<UInt8>) {
        var parts = text.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        if parts.count > 1, parts[parts.count - 1].isEmpty { parts.removeLast() }
        guard parts.count <= 4 else { return nil }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = Self.number(part) else { return nil }
            if index < parts.count - 1 {
                guard number <= 255 else { return nil }
                value |= number << UInt64(8 * (3 - index))
            } else {
                guard number < 1 << UInt64(8 * (5 - parts.count)) else { return nil }
                value |= number
            }
        }
        self.value = UInt32(value)
    }

    /// The four decimal numbers.
    var canonicalText: [UInt8] {
        let octets = (0..<4).map { (value >> UInt32(24 - 8 * $0)) & 0xFF }
        return Array(octets.map { String($0) }.joined(separator: ".").utf8)
    }

    /// Whether a host of this text can only be an address: its last label is a number (the URL
    /// standard's "ends in a number").
    ///
    /// Such a host that is no valid address is invalid altogether.
    static func endsInNumber(_ text: ArraySlice<UInt8>) -> Bool {
        var end = text.endIndex
        if end > text.startIndex, text[end - 1] == ASCII.dot { end -= 1 }
        let head = text[..<end]
        let start = head.lastIndex(of: ASCII.dot).map { $0 + 1 } ?? head.startIndex
        let label = head[start...]
        if label.isEmpty { return false }
        return label.allSatisfy(ASCII.isDigit) || number(label) != nil
    }

    /// A number in one of the three notations; one beyond 32 bits is clamped to a value no part may
    /// have.
    private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
        if text.isEmpty { return nil }
        var digits = text
        var radix: UInt64 = 10
        if ASCII.hasPrefix(text, "0x") {
            digits = text.dropFirst(2)
            radix = 16
        } else if text.count > 1, text.first == 0x30 {
            digits = text.dropFirst()
            radix = 8
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = ASCII.hexValue(byte), digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 33)
        }
        return value
    }
}
