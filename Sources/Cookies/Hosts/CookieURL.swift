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
        try self.init(parsing: text[...], names: names)
    }

    /// Reads an absolute URL that is a part of a longer text.
    ///
    /// - Throws: which part is unusable.
    /// - Complexity: O(length).
    public init(
        parsing text: ArraySlice<UInt8>, names: any DomainNameMapping
    ) throws(CookieURLError) {
        guard let parts = URLParts(URLParts.withoutBlanks(text)) else { throw .malformed }
        try self.init(parts, names: names)
    }

    init(_ parts: URLParts, names: any DomainNameMapping) throws(CookieURLError) {
        self.init(try URLOrigin(parts, names: names), path: URLPath.normalized(parts.path))
    }

    init(_ origin: URLOrigin, path: [UInt8]) {
        self.init(scheme: origin.scheme, host: origin.host, port: origin.port, path: path)
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
}
