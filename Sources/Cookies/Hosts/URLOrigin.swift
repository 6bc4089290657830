// SPDX-License-Identifier: Apache-2.0

/// What the front of a URL says, `https://user@www.example.com:8443`: scheme, host and port.
struct URLOrigin {
    let scheme: CookieURL.Scheme
    let host: Host
    let port: UInt16

    /// Reads the front of a URL, user information left out.
    ///
    /// - Throws: which part is unusable.
    init(_ parts: URLParts, names: any DomainNameMapping) throws(CookieURLError) {
        guard let scheme = Self.scheme(parts.scheme) else {
            throw URLParts.isScheme(parts.scheme) ? .unsupportedScheme : .malformed
        }
        let authority = parts.authority
        let hostStart =
            authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let (hostText, portText) = Self.splitPort(authority[hostStart...])
        let decoded = Self.percentDecoded(hostText)
        guard let host = Host(urlHost: decoded, names: names) else { throw .invalidHost }
        guard let port = Self.port(portText, default: scheme.defaultPort) else { throw .malformed }
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }

    private static func scheme(_ text: ArraySlice<UInt8>) -> CookieURL.Scheme? {
        if ASCII.matches(text, "https") { return .https }
        if ASCII.matches(text, "http") { return .http }
        if ASCII.matches(text, "wss") { return .wss }
        if ASCII.matches(text, "ws") { return .ws }
        return nil
    }

    /// Cuts at the last colon that is not inside brackets.
    private static func splitPort(
        _ text: ArraySlice<UInt8>
    ) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>) {
        let bracket = text.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
        guard let colon = text[bracket...].firstIndex(of: ASCII.colon) else {
            return (text, text[text.endIndex...])
        }
        return (text[..<colon], text[(colon + 1)...])
    }

    private static func port(_ text: ArraySlice<UInt8>, default: UInt16) -> UInt16? {
        if text.isEmpty { return `default` }
        var value: UInt32 = 0
        for byte in text {
            guard ASCII.isDigit(byte) else { return nil }
            value = value * 10 + UInt32(byte - 0x30)
            guard value <= 65535 else { return nil }
        }
        return UInt16(value)
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.contains(ASCII.percent) else { return text }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == ASCII.percent, index + 2 < text.endIndex,
                let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded[...]
    }
}
