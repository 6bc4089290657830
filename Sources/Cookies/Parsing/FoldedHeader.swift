// SPDX-License-Identifier: Apache-2.0

/// Several `Set-Cookie` lines that something between the server and here joined with commas, as
/// `HTTPURLResponse.allHeaderFields` does.
///
/// RFC 9110 section 5.3 forbids it, since a comma is also part of a date; what can be told apart is
/// told apart here.
///
/// A new line begins at a comma that is followed, blanks aside, by a token and `=`. The comma after
/// the weekday of an Expires date is never one. A comma is *clear* where the text before it can
/// only be complete: after a flag, a date, a number, a SameSite word, a host, or after a path and
/// before a blank. Everywhere else, in a cookie's own value above all, a comma may as well belong
/// to the value: the split is made by the rule, and `isAmbiguous` says so.
public struct FoldedHeader: Sendable {
    /// The lines.
    public private(set) var lines: [[UInt8]] = []
    /// Whether another reading of some comma is possible.
    public private(set) var isAmbiguous = false

    /// Splits a field value.
    ///
    /// Complexity: O(length), whatever it holds.
    public init(splitting value: [UInt8]) {
        var lineStart = 0
        var part = Part(start: 0, isPair: true)
        for (index, byte) in value.enumerated() {
            switch byte {
            case ASCII.semicolon:
                part = Part(start: index + 1, isPair: false)
            case ASCII.comma where Self.isFollowedByName(value, index + 1) && !part.isWeekday:
                if !part.isClear(in: value, upTo: index) { isAmbiguous = true }
                append(value[lineStart..<index])
                lineStart = index + 1
                part = Part(start: index + 1, isPair: true)
            case ASCII.comma:
                let isCertain = part.isExpires && !Self.isFollowedByName(value, index + 1)
                if !isCertain { isAmbiguous = true }
                part.take(byte, at: index, of: value)
            default:
                part.take(byte, at: index, of: value)
            }
        }
        append(value[lineStart...])
    }

    /// The lines of a folded value.
    public static func split(_ value: [UInt8]) -> [[UInt8]] {
        FoldedHeader(splitting: value).lines
    }

    private mutating func append(_ line: ArraySlice<UInt8>) {
        let bytes = Array(line)
        lines.append(Array(bytes[bytes.trimmingBlanks(0..<bytes.count)]))
    }

    /// Whether blanks, a token, blanks and `=` begin at `start`.
    ///
    /// Stops at the next comma, so that all calls together look at each octet a bounded number of
    /// times.
    private static func isFollowedByName(_ value: [UInt8], _ start: Int) -> Bool {
        var index = start
        while index < value.count, ASCII.isBlank(value[index]) { index += 1 }
        let token = index
        while index < value.count, isTokenCharacter(value[index]) { index += 1 }
        guard index > token else { return false }
        while index < value.count, ASCII.isBlank(value[index]) { index += 1 }
        return index < value.count && value[index] == ASCII.equals
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default:
            return false
        }
    }
}

extension FoldedHeader {
    /// What stands between the last `;` (or the line's start) and the current octet, followed octet
    /// by octet.
    private struct Part {
        private let start: Int
        private let isPair: Bool
        private var equals: Int?
        private var hasLetters = false
        private var isLettersOnly = true
        /// Whether it is an Expires attribute: its value may hold a comma.
        private(set) var isExpires = false

        init(start: Int, isPair: Bool) {
            self.start = start
            self.isPair = isPair
        }

        mutating func take(_ byte: UInt8, at index: Int, of value: [UInt8]) {
            if equals != nil {
                if ASCII.isLetter(byte) {
                    hasLetters = true
                } else if !ASCII.isBlank(byte) {
                    isLettersOnly = false
                }
            } else if byte == ASCII.equals {
                equals = index
                isExpires = !isPair && ASCII.matches(name(in: value, upTo: index), "expires")
            }
        }

        /// An Expires value of letters only so far: the comma belongs to the date.
        var isWeekday: Bool { isExpires && hasLetters && isLettersOnly }

        /// Whether the part is complete for certain when a comma and a name follow at `end`.
        func isClear(in value: [UInt8], upTo end: Int) -> Bool {
            if isPair { return false }
            guard let equals else { return true }
            if isExpires { return CookieDate.parse(value[(equals + 1)..<end]) != nil }
            let name = name(in: value, upTo: equals)
            // A comma is followed by something, or it would not have been taken for a line's end.
            if ASCII.matches(name, "path") { return ASCII.isBlank(value[end + 1]) }
            return ASCII.matches(name, "max-age") || ASCII.matches(name, "domain")
                || ASCII.matches(name, "samesite")
        }

        private func name(in value: [UInt8], upTo end: Int) -> ArraySlice<UInt8> {
            value[value.trimmingBlanks(start..<end)]
        }
    }
}
