// SPDX-License-Identifier: Apache-2.0

/// Base 64 (RFC 4648): the standard alphabet with padding for bodies, the URL-safe one without for cursors.
public enum Base64 {
    /// An alphabet.
    public enum Alphabet: Sendable {
        /// Section 4, padded.
        case standard
        /// Section 5, not padded.
        case urlSafe
    }

    private static let standardLetters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeLetters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Appends the encoding of some bytes.
    public static func encode(
        _ bytes: some Collection<UInt8>, _ alphabet: Alphabet = .standard, to output: inout [UInt8]
    ) {
        let letters = alphabet == .standard ? standardLetters : urlSafeLetters
        var group: UInt32 = 0
        var filled = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            filled += 1
            guard filled == 3 else { continue }
            for shift in [18, 12, 6, 0] { output.append(letters[Int(group >> UInt32(shift) & 63)]) }
            (group, filled) = (0, 0)
        }
        guard filled > 0 else { return }
        group <<= UInt32(8 * (3 - filled))
        for shift in [18, 12, 6].prefix(filled + 1) {
            output.append(letters[Int(group >> UInt32(shift) & 63)])
        }
        guard alphabet == .standard else { return }
        for _ in filled..<3 { output.append(UInt8(ascii: "=")) }
    }

    /// The bytes that a text encodes, or nil when it is not the one canonical encoding of any.
    public static func decode(_ text: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var letters = text[...]
        if alphabet == .standard {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(letters.count / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for letter in letters {
            guard let value = value(of: letter, alphabet) else { return nil }
            group = group << 6 | value
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            output.append(UInt8(group >> bits & 0xFF))
            group &= (1 << bits) - 1
        }
        // Left-over bits that are set would make two texts of one value.
        return group == 0 ? output : nil
    }

    private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+") where alphabet == .standard: 62
        case UInt8(ascii: "/") where alphabet == .standard: 63
        case UInt8(ascii: "-") where alphabet == .urlSafe: 62
        case UInt8(ascii: "_") where alphabet == .urlSafe: 63
        default: nil
        }
    }
}
