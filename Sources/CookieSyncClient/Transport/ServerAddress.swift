// SPDX-License-Identifier: Apache-2.0

/// Where a service is: `http://127.0.0.1:8080`, maybe with a path that a proxy puts before the service's own.
public struct ServerAddress: Hashable, Sendable {
    /// Whether the connection is encrypted (`https`).
    public let isSecure: Bool
    /// The host name or address; an IPv6 address without its brackets.
    public let host: String
    /// The port, given or implied.
    public let port: UInt16
    /// What comes before the service's own paths; empty, or begins with `/` and does not end with one.
    public let basePath: String

    /// Reads an `http` or `https` URL; nil for anything else, and for one with user information, a query or a fragment.
    public init?(_ text: String) {
        var rest = Substring(text)
        if rest.hasPrefix("http://") {
            isSecure = false
            rest = rest.dropFirst(7)
        } else if rest.hasPrefix("https://") {
            isSecure = true
            rest = rest.dropFirst(8)
        } else {
            return nil
        }
        guard rest.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }), !rest.contains("?"),
            !rest.contains("#"), !rest.contains("@")
        else { return nil }
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        basePath = String(path)
        guard let parts = Self.split(authority) else { return nil }
        host = parts.host
        guard let port = parts.port.isEmpty ? (isSecure ? 443 : 80) : Self.port(parts.port) else {
            return nil
        }
        self.port = port
    }

    /// The authority as it stands in a URL and in a `Host` field.
    public var authority: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? shown : "\(shown):\(port)"
    }

    private static func split(_ authority: Substring) -> (host: String, port: Substring)? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { return nil }
            let host = authority[..<end].dropFirst()
            return host.isEmpty ? nil : (String(host), after.dropFirst())
        }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : (String(host), authority.dropFirst(host.count + 1))
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return UInt16(text)
    }
}
