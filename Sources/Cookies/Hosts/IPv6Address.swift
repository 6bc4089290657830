// SPDX-License-Identifier: Apache-2.0

/// IPv6 addresses: the URL standard's parser, and the one canonical text of each (RFC 5952: lower
/// case, the first longest run of zero pieces compressed, no leading zeros).
struct IPv6Address {
    let pieces: [UInt16]

    /// The address that this text, without brackets, spells; a zone identifier is not taken.
    init?(_ text: ArraySlice<UInt8>) {
        var parser = Parser(rest: text)
        guard let pieces = parser.address() else { return nil }
        self.pieces = pieces
    }

    var isLoopback: Bool { pieces.dropLast().allSatisfy { $0 == 0 } && pieces.last == 1 }

    /// The IPv4 address that is mapped into this one.
    var mappedIPv4: IPv4Address? {
        guard pieces.prefix(5).allSatisfy({ $0 == 0 }), pieces[5] == 0xFFFF else { return nil }
        return IPv4Address(value: UInt32(pieces[6]) << 16 | UInt32(pieces[7]))
    }

    /// The canonical text, without brackets.
    var canonicalText: [UInt8] {
        let gap = longestZeroRun
        var text = ""
        var index = 0
        while index < 8 {
            if index == gap.lowerBound, !gap.isEmpty {
                text += index == 0 ? "::" : ":"
                index = gap.upperBound
                continue
            }
            text += String(pieces[index], radix: 16)
            if index < 7 { text += ":" }
            index += 1
        }
        return Array(text.utf8)
    }

    /// The first longest run of two or more zero pieces.
    private var longestZeroRun: Range<Int> {
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(best.count, 1) { best = start..<end }
            start = end + 1
        }
        return best
    }
}

extension IPv6Address {
    /// Walks the text once, piece by piece.
    private struct Parser {
        var rest: ArraySlice<UInt8>
        var pieces: [UInt16] = []
        var gap: Int?

        mutating func address() -> [UInt16]? {
            if rest.first == ASCII.colon {
                guard rest.dropFirst().first == ASCII.colon else { return nil }
                rest = rest.dropFirst(2)
                gap = 0
            }
            while !rest.isEmpty {
                guard pieces.count < 8, piece() else { return nil }
            }
            guard let gap else { return pieces.count == 8 ? pieces : nil }
            guard pieces.count < 8 else { return nil }
            let zeros = [UInt16](repeating: 0, count: 8 - pieces.count)
            return Array(pieces[..<gap] + zeros + pieces[gap...])
        }

        /// Takes one piece and the colon after it; false when the text is no address.
        private mutating func piece() -> Bool {
            if rest.first == ASCII.colon {
                guard gap == nil, !pieces.isEmpty else { return false }
                rest = rest.dropFirst()
                gap = pieces.count
                return true
            }
            let text = rest.prefix { $0 != ASCII.colon }
            if text.contains(ASCII.dot) { return text.endIndex == rest.endIndex && embeddedIPv4() }
            guard (1...4).contains(text.count) else { return false }
            var value: UInt16 = 0
            for byte in text {
                guard let digit = ASCII.hexValue(byte) else { return false }
                value = value << 4 | UInt16(digit)
            }
            pieces.append(value)
            rest = rest[text.endIndex...]
            guard rest.first == ASCII.colon else { return rest.isEmpty }
            rest = rest.dropFirst()
            return !rest.isEmpty
        }

        /// Takes the four decimal numbers that may stand for the last two pieces.
        private mutating func embeddedIPv4() -> Bool {
            guard pieces.count <= 6 else { return false }
            let parts = rest.split(separator: ASCII.dot, omittingEmptySubsequences: false)
            guard parts.count == 4 else { return false }
            var value: UInt32 = 0
            for part in parts {
                guard (1...3).contains(part.count), part.allSatisfy(ASCII.isDigit),
                    part.count == 1 || part.first != 0x30
                else { return false }
                let number = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - 0x30) }
                guard number <= 255 else { return false }
                value = value << 8 | number
            }
            pieces.append(UInt16(value >> 16))
            pieces.append(UInt16(value & 0xFFFF))
            rest = rest[rest.endIndex...]
            return true
        }
    }
}
