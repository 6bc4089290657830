// SPDX-License-Identifier: Apache-2.0

/// A cookie that a client hands over complete (`PUT cookies`, imports), not yet judged.
///
/// It is held to the same rules as one that a response sets, with its own domain and path in place
/// of a URL: the source counts as a secure, same-site HTTP response of a host that the domain
/// matches.
public struct FinishedCookie: Sendable {
    /// The cookie-name.
    public var name: [UInt8]
    /// The cookie-value.
    public var value: CookieValue
    /// The domain in any spelling; a leading dot says that hosts below it get the cookie too.
    public var domain: [UInt8]
    /// Whether only that very host gets it; nil means: exactly when `domain` has no leading dot.
    public var hostOnly: Bool?
    /// The cookie-path.
    public var path: [UInt8]
    /// Sent over secure connections only.
    public var secure: Bool
    /// Hidden from scripts.
    public var httpOnly: Bool
    /// The SameSite enforcement.
    public var sameSite: SameSite
    /// The top-level site of a partitioned cookie, in any spelling.
    public var partitionKey: [UInt8]?
    /// When it ends; nil for a session cookie.
    public var expires: Timestamp?
    /// What is written down as its source.
    public var source: CookieSource
    /// What a file said beside.
    public var legacy: LegacyAttributes?

    /// A cookie made of its parts.
    public init(
        name: [UInt8], value: [UInt8], domain: [UInt8], hostOnly: Bool? = nil,
        path: [UInt8] = [0x2F], secure: Bool = false, httpOnly: Bool = false,
        sameSite: SameSite = .unset, partitionKey: [UInt8]? = nil, expires: Timestamp? = nil,
        source: CookieSource = .put, legacy: LegacyAttributes? = nil
    ) {
        self.name = name
        self.value = CookieValue(value)
        self.domain = domain
        self.hostOnly = hostOnly
        self.path = path
        self.secure = secure
        self.httpOnly = httpOnly
        self.sameSite = sameSite
        self.partitionKey = partitionKey
        self.expires = expires
        self.source = source
        self.legacy = legacy
    }
}
