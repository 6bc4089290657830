// SPDX-License-Identifier: Apache-2.0

/// An absolute URL cut into its parts, none of them looked at yet.
struct URLParts {
    let scheme: ArraySlice<UInt8>
    /// User information, host and port.
    let authority: ArraySlice<UInt8>
    let path: ArraySlice<UInt8>
    /// Without its `?`; nil when there is none.
    let query: ArraySlice<UInt8>?
    /// Without its `#`; nil when there is none.
    let fragment: ArraySlice<UInt8>?

    /// Cuts a text without stray blanks; nil when it has no scheme.
    ///
    /// Any number of slashes may stand before the authority, as special URLs allow.
    init?(_ text: ArraySlice<UInt8>) {
        guard let colon = text.firstIndex(of: ASCII.colon), colon > text.startIndex else {
            return nil
        }
        scheme = text[..<colon]
        let start = text[(colon + 1)...].firstIndex { !URLPath.isSlash($0) } ?? text.endIndex
        let end = text[start...].firstIndex(where: Self.endsAuthority) ?? text.endIndex
        authority = text[start..<end]
        (path, query, fragment) = Self.tail(text[end...])
    }

    /// Cuts what comes after an authority.
    static func tail(
        _ text: ArraySlice<UInt8>
    ) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?, fragment: ArraySlice<UInt8>?) {
        let hash = text.firstIndex(of: UInt8(ascii: "#"))
        let fragment = hash.map { text[($0 + 1)...] }
        let rest = text[..<(hash ?? text.endIndex)]
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else {
            return (rest, nil, fragment)
        }
        return (rest[..<mark], rest[(mark + 1)...], fragment)
    }

    /// Whether the octets are a scheme: a letter, then letters, digits, `+`, `-` and `.`.
    static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, ASCII.isLetter(first) else { return false }
        return text.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "+") || $0 == ASCII.minus
                || $0 == ASCII.dot
        }
    }

    /// The text as the URL standard reads it: without blanks and control characters at its ends, and
    /// without TAB, CR and LF anywhere.
    static func withoutBlanks(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 <= ASCII.space }) else { return text }
        var start = 0
        var end = text.count
        while start < end, text[start] <= ASCII.space { start += 1 }
        while end > start, text[end - 1] <= ASCII.space { end -= 1 }
        return text[start..<end].filter { $0 != ASCII.tab && $0 != 0x0A && $0 != 0x0D }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        URLPath.isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
