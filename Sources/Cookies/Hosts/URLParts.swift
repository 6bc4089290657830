// SPDX-License-Identifier: Apache-2.0

/// An absolute URL cut into its parts, none of them looked at yet.
struct URLParts {
    private let text: ArraySlice<UInt8>
    private let front: Front
    private let tail: Tail

    /// Cuts a text without stray blanks; nil when it has no scheme.
    init?(_ text: ArraySlice<UInt8>) {
        guard let front = text.withUnsafeBufferPointer(Front.init) else { return nil }
        self.init(text, front)
    }

    /// Cuts a text without stray blanks whose front has been found.
    init(_ text: ArraySlice<UInt8>, _ front: Front) {
        self.text = text
        self.front = front
        tail = Tail(text[(text.startIndex + front.end)...])
    }

    /// All up to the end of the authority, on which scheme, host and port depend, in octets from the start.
    struct Front {
        /// Where the scheme ends.
        let colon: Int
        /// Where the authority begins.
        let authority: Int
        /// Where the authority ends.
        let end: Int

        /// The front of a text without stray blanks; nil when it has no scheme.
        ///
        /// Any number of slashes may stand before the authority, as special URLs allow.
        init?(_ text: UnsafeBufferPointer<UInt8>) {
            guard let colon = text.firstIndex(of: ASCII.colon), colon > 0 else { return nil }
            var index = colon + 1
            while index < text.count, URLPath.isSlash(text[index]) { index += 1 }
            authority = index
            while index < text.count, !URLParts.endsAuthority(text[index]) { index += 1 }
            end = index
            self.colon = colon
        }
    }

    var scheme: ArraySlice<UInt8> { text.prefix(front.colon) }
    /// User information, host and port.
    var authority: ArraySlice<UInt8> { text.prefix(front.end).dropFirst(front.authority) }
    var path: ArraySlice<UInt8> { tail.path(of: text.dropFirst(front.end)) }
    /// Without its `?`; nil when there is none.
    var query: ArraySlice<UInt8>? { tail.query(of: text) }
    /// Without its `#`; nil when there is none.
    var fragment: ArraySlice<UInt8>? { tail.fragment(of: text) }

    /// Where what comes after an authority is to be cut.
    struct Tail {
        /// Where the `?` of the query stands, or the end of what may be one.
        private let mark: Int
        /// Where the `#` of the fragment stands, or the end.
        private let hash: Int

        init(_ text: ArraySlice<UInt8>) {
            hash = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
            mark = text[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        }

        /// The path, of the text that was given.
        func path(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> { text[..<mark] }

        /// Without its `?`; nil when there is none.
        func query(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            mark < hash ? text[(mark + 1)..<hash] : nil
        }

        /// Without its `#`; nil when there is none.
        func fragment(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            hash < text.endIndex ? text[(hash + 1)...] : nil
        }
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
    static func withoutBlanks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let hasBlanks = text.withUnsafeBufferPointer {
            $0.firstIndexByVectors(of: StrayBlank.self) < $0.count
        }
        guard hasBlanks else { return text }
        var (start, end) = (text.startIndex, text.endIndex)
        while start < end, text[start] <= ASCII.space { start += 1 }
        while end > start, text[end - 1] <= ASCII.space { end -= 1 }
        return text[start..<end].filter { $0 != ASCII.tab && $0 != 0x0A && $0 != 0x0D }[...]
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        URLPath.isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

/// A blank or a control character, which URLs are read without.
private enum StrayBlank: OctetKind {
    @inline(__always)
    static func marks(_ octets: Vector) -> Vector {
        OctetVectors.marks(below: ASCII.space + 1, octets)
    }

    static func holds(_ octet: UInt8) -> Bool { octet <= ASCII.space }
}
