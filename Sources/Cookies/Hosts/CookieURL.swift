// SPDX-License-Identifier: Apache-2.0

/// Why a text is no URL that can have cookies.
public enum CookieURLError: Error, Hashable, Sendable, CaseIterable {
    /// A scheme other than http, https, ws and wss.
    case unsupportedScheme
    /// The host is missing, holds a forbidden character, or ends in a number without being an
    /// address.
    case invalidHost
    /// No scheme, or a port that is none.
    case malformed
}

/// The parts of a URL that cookies depend on, read as the URL standard's parser reads them.
///
/// What a browser would do to the text before it sends the request is done here too, since cookies
/// are matched against what is requested: blanks around the text and TAB, CR, LF within are
/// dropped, `\` counts as `/`, user information, query and fragment are cut, the host is
/// percent-decoded and made canonical, dot segments (also written `%2e`) are resolved, and octets
/// that a path may not hold are percent-encoded. Percent-encoded octets stay as they are: `/%61` is
/// not `/a` (section 5.1.4 compares octets).
public struct CookieURL: Sendable, Hashable {
    /// The schemes that have cookies.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http, https, ws, wss

        /// Whether the connection is encrypted and authenticated.
        public var isSecure: Bool { self == .https || self == .wss }

        /// The port that a URL without one means.
        public var defaultPort: UInt16 { isSecure ? 443 : 80 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in canonical form.
    public let host: Host
    /// The port, given or implied.
    ///
    /// Cookies do not depend on it.
    public let port: UInt16
    /// The path as it would be requested, without a query; `/` if there is none.
    public let path: [UInt8]

    /// Whether the scheme denotes a secure connection.
    public var isSecure: Bool { scheme.isSecure }

    /// Reads an absolute URL.
    ///
    /// - Parameters:
    ///   - text: the URL's octets, UTF-8 where not ASCII.
    ///   - names: maps international names.
    /// - Throws: which part is unusable.
    /// - Complexity: O(length).
    public init(parsing text: [UInt8], names: any DomainNameMapping) throws(CookieURLError) {
        guard let parts = URLParts(URLParts.withoutBlanks(text)[...]) else { throw .malformed }
        try self.init(parts, names: names)
    }

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
        self.init(
            scheme: scheme, host: host, port: port, path: URLPath.normalized(parts.path))
    }

    /// A URL made of parts that are in their canonical form.
    init(scheme: Scheme, host: Host, port: UInt16, path: [UInt8]) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// The same URL with another host.
    public func acting(as host: Host) -> CookieURL {
        CookieURL(scheme: scheme, host: host, port: port, path: path)
    }

    /// The URL's text, with its port.
    public var text: [UInt8] {
        Array("\(scheme.rawValue)://".utf8) + host.bytes + Array(":\(port)".utf8) + path
    }

    private static func scheme(_ text: ArraySlice<UInt8>) -> Scheme? {
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
