// SPDX-License-Identifier: Apache-2.0

/// A URL as a client needs it to make a request: what cookies depend on, and the rest.
///
/// Read and written as the URL standard does, for the schemes that have cookies.
public struct RequestURL: Sendable, Hashable {
    /// What cookies depend on.
    public let base: CookieURL
    private var userInfo: [UInt8]
    private var query: [UInt8]?
    private var fragment: [UInt8]?

    /// Reads an absolute URL.
    ///
    /// - Throws: which part is unusable.
    /// - Complexity: O(length).
    public init(
        parsing text: [UInt8], names: any DomainNameMapping
    ) throws(CookieURLError) {
        guard let parts = URLParts(URLParts.withoutBlanks(text[...])) else { throw .malformed }
        try self.init(parts, names: names)
    }

    /// Reads a URL or a reference that is relative to this one (RFC 3986 section 5.2, as the URL
    /// standard has it for special URLs).
    ///
    /// A reference without a fragment gets none here.
    ///
    /// - Throws: which part is unusable.
    /// - Complexity: O(length of both).
    public func resolving(
        _ reference: [UInt8], names: any DomainNameMapping
    ) throws(CookieURLError) -> RequestURL {
        let reference = Array(URLParts.withoutBlanks(reference[...]))
        if let colon = reference.firstIndex(of: ASCII.colon),
            URLParts.isScheme(reference[..<colon])
        {
            // `https:page` is relative to a URL of that scheme.
            let rest = reference[(colon + 1)...]
            guard ASCII.lowercased(reference[..<colon]).elementsEqual(base.scheme.rawValue.utf8),
                rest.first.map(URLPath.isSlash) != true
            else { return try RequestURL(parsing: reference, names: names) }
            return relative(rest)
        }
        if reference.count > 1, URLPath.isSlash(reference[0]), URLPath.isSlash(reference[1]) {
            let text = Array("\(base.scheme.rawValue):".utf8) + reference
            return try RequestURL(parsing: text, names: names)
        }
        return relative(reference[...])
    }

    /// The URL with the fragment of another one, if it has none itself.
    public func inheritingFragment(of other: RequestURL) -> RequestURL {
        var url = self
        url.fragment = fragment ?? other.fragment
        return url
    }

    /// The same URL with another host.
    public func acting(as host: Host) -> RequestURL {
        RequestURL(
            base: base.acting(as: host), userInfo: userInfo, query: query, fragment: fragment)
    }

    /// The URL's text; a port that the scheme implies is left out.
    public var text: [UInt8] {
        var text = Array("\(base.scheme.rawValue)://".utf8)
        if !userInfo.isEmpty { text += userInfo + [UInt8(ascii: "@")] }
        text += base.host.bytes
        if base.port != base.scheme.defaultPort { text += ":\(base.port)".utf8 }
        text += base.path
        if let query { text += [UInt8(ascii: "?")] + query }
        if let fragment { text += [UInt8(ascii: "#")] + fragment }
        return text
    }

    /// Whether scheme, host and port are the same.
    public func hasSameOrigin(as other: RequestURL) -> Bool {
        base.scheme == other.base.scheme && base.host == other.base.host
            && base.port == other.base.port
    }

    private init(
        base: CookieURL, userInfo: [UInt8], query: [UInt8]?, fragment: [UInt8]?
    ) {
        self.base = base
        self.userInfo = userInfo
        self.query = query
        self.fragment = fragment
    }

    private init(_ parts: URLParts, names: any DomainNameMapping) throws(CookieURLError) {
        self.init(
            base: try CookieURL(parts, names: names), userInfo: Self.userInfo(of: parts.authority),
            query: parts.query.map(Self.encodedQuery),
            fragment: parts.fragment.map(Self.encodedFragment))
    }

    /// What a reference without scheme and authority leads to.
    private func relative(_ reference: ArraySlice<UInt8>) -> RequestURL {
        let tail = URLParts.Tail(reference)
        let path = tail.path(of: reference)
        var merged = path
        if let first = path.first, !URLPath.isSlash(first) {
            let end = base.path.lastIndex(of: ASCII.slash) ?? base.path.startIndex
            merged = base.path[...end] + path
        }
        let target = CookieURL(
            scheme: base.scheme, host: base.host, port: base.port,
            path: path.isEmpty ? base.path : URLPath.normalized(merged))
        let keptQuery = path.isEmpty ? self.query : nil
        return RequestURL(
            base: target, userInfo: userInfo,
            query: tail.query(of: reference).map(Self.encodedQuery) ?? keptQuery,
            fragment: tail.fragment(of: reference).map(Self.encodedFragment))
    }

    /// User name and password, `user:password`; empty when there are neither.
    private static func userInfo(of authority: ArraySlice<UInt8>) -> [UInt8] {
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return [] }
        let text = authority[..<at]
        let colon = text.firstIndex(of: ASCII.colon) ?? text.endIndex
        let name = PercentEncoding.encode(
            text[..<colon], where: PercentEncoding.isUserInfoOctet)
        let password = PercentEncoding.encode(
            text[colon...].dropFirst(), where: PercentEncoding.isUserInfoOctet)
        return password.isEmpty ? name : name + [ASCII.colon] + password
    }

    private static func encodedQuery(_ text: ArraySlice<UInt8>) -> [UInt8] {
        PercentEncoding.encode(text, where: PercentEncoding.isSpecialQueryOctet)
    }

    private static func encodedFragment(_ text: ArraySlice<UInt8>) -> [UInt8] {
        PercentEncoding.encode(text, where: PercentEncoding.isFragmentOctet)
    }
}
