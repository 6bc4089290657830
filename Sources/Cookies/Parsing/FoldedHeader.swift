// SPDX-License-Identifier: Apache-2.0

/// Several `Set-Cookie` lines that something between the server and here joined with commas, as
/// `HTTPURLResponse.allHeaderFields` does. RFC 9110 section 5.3 forbids it, since a comma is also part of a date;
/// what can be told apart is told apart here.
///
/// A new line begins at a comma that is followed, blanks aside, by a token and `=`. The comma after the weekday
/// of an Expires date is never one. A comma is *clear* where the text before it can only be complete: after
/// a flag, a date, a number, a SameSite word, a host, or after a path and before a blank. Everywhere
/// else, in a cookie's own value above all, a comma may as well belong to the value: the split is made by the
/// rule, and `isAmbiguous` says so.
public struct FoldedHeader: Sendable {
    /// The lines.
    public private(set) var lines: [[UInt8]] = []
    /// Whether another reading of some comma is possible.
    public private(set) var isAmbiguous = false

    /// Splits a field value. Complexity: O(length).
    public init(splitting value: [UInt8]) {
        var lineStart = 0
        var partStart = 0
        var isPair = true
        var index = 0
        while index < value.count {
            let byte = value[index]
            if byte == ASCII.semicolon {
                partStart = index + 1
                isPair = false
            } else if byte == ASCII.comma {
                let part = Part(value[partStart..<index], isPair: isPair)
                let next = Self.nameEnd(in: value, after: index + 1)
                if next != nil, !part.endsInWeekday {
                    if !part.isClear(before: value[index + 1]) { isAmbiguous = true }
                    append(value[lineStart..<index])
                    lineStart = index + 1
                    partStart = index + 1
                    isPair = true
                } else if next != nil || !part.mayHoldComma {
                    isAmbiguous = true
                }
                // The token was looked at already: going on behind it keeps the whole walk linear.
                index = max(index, (next ?? index + 1) - 1)
            }
            index += 1
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

    /// The index of the `=` when blanks, a token and blanks before it follow; nil otherwise.
    private static func nameEnd(in value: [UInt8], after start: Int) -> Int? {
        var index = start
        while index < value.count, ASCII.isBlank(value[index]) { index += 1 }
        let token = index
        while index < value.count, isTokenCharacter(value[index]) { index += 1 }
        guard index > token else { return nil }
        while index < value.count, ASCII.isBlank(value[index]) { index += 1 }
        return index < value.count && value[index] == ASCII.equals ? index : nil
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
    /// What stands between the last `;` (or the line's start) and a comma.
    private struct Part {
        let name: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>?
        let isPair: Bool

        init(_ text: ArraySlice<UInt8>, isPair: Bool) {
            self.isPair = isPair
            let equals = text.firstIndex(of: ASCII.equals)
            name = Self.trimmed(text[..<(equals ?? text.endIndex)])
            value = equals.map { Self.trimmed(text[($0 + 1)...]) }
        }

        private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let head = text.drop(while: ASCII.isBlank)
            let end = head.lastIndex { !ASCII.isBlank($0) }.map { $0 + 1 } ?? head.startIndex
            return head[..<end]
        }

        /// An Expires value of letters only so far: the comma belongs to the date.
        var endsInWeekday: Bool {
            guard !isPair, ASCII.matches(name, "expires"), let value else { return false }
            return !value.isEmpty && value.allSatisfy(ASCII.isLetter)
        }

        /// A date may hold a comma without any doubt.
        var mayHoldComma: Bool { !isPair && ASCII.matches(name, "expires") }

        /// Whether the part is complete for certain.
        func isClear(before next: UInt8) -> Bool {
            if isPair { return false }
            guard let value else { return true }
            if ASCII.matches(name, "path") { return ASCII.isBlank(next) }
            if ASCII.matches(name, "expires") { return CookieDate.parse(value) != nil }
            return ASCII.matches(name, "max-age") || ASCII.matches(name, "domain")
                || ASCII.matches(name, "samesite")
        }
    }
}
