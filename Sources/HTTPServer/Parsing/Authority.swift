// SPDX-License-Identifier: Apache-2.0

/// `host [":" port]`, the value of Host and part of an absolute target (RFC 9110 §7.2, RFC 3986 §3.2).
enum Authority {
    /// Whether this is one host, not empty, with at most a port up to 65535.
    ///
    /// No user information, no list, no percent-encoding.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return false }
        var index = 0
        if text[0] == UInt8(ascii: "[") {
            let allowed = ByteSet.addressLiteral
            index = 1
            while index < text.count, allowed.contains(text[index]) { index += 1 }
            guard index > 1, index < text.count, text[index] == UInt8(ascii: "]") else {
                return false
            }
            index += 1
        } else {
            let allowed = ByteSet.hostName
            while index < text.count, allowed.contains(text[index]) { index += 1 }
            guard index > 0 else { return false }
        }
        if index == text.count { return true }
        return text[index] == ASCII.colon && isPort(text, from: index + 1)
    }

    /// Whether the rest is a port; an empty one is legal and means the scheme's default (RFC 3986 §3.2.3).
    private static func isPort(_ text: Span<UInt8>, from start: Int) -> Bool {
        guard text.count - start <= 5 else { return false }
        var port = 0
        for index in start..<text.count {
            guard text[index].isDigit else { return false }
            port = port * 10 + Int(text[index] - ASCII.zero)
        }
        return port <= 65_535
    }
}
