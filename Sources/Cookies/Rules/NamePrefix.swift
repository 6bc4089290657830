// SPDX-License-Identifier: Apache-2.0

/// The name prefixes that promise something about a cookie (section 4.1.3, and layered cookies for
/// the two with `Http`).
///
/// They are compared without regard to case, as servers may not look at it either.
enum NamePrefix: CaseIterable {
    case hostHTTP
    case host
    case http
    case secure

    /// The prefix that a name begins with; the longest wins.
    init?(of name: some Collection<UInt8>) {
        guard let prefix = Self.allCases.first(where: { ASCII.hasPrefix(name, $0.text) }) else {
            return nil
        }
        self = prefix
    }

    /// The reason that is given when the promise is not kept.
    var rejection: CookieRejection {
        switch self {
        case .hostHTTP: .hostHttpPrefix
        case .host: .hostPrefix
        case .http: .httpPrefix
        case .secure: .securePrefix
        }
    }

    /// Whether a cookie with these properties may bear the prefix.
    ///
    /// `isHostWide` means host-only with the path `/` asked for by the attribute, not by default;
    /// `fromHTTP` that an HTTP response, not a script, set it.
    func allows(secure: Bool, httpOnly: Bool, isHostWide: Bool, fromHTTP: Bool) -> Bool {
        switch self {
        case .secure: secure
        case .host: secure && isHostWide
        case .http: secure && httpOnly && fromHTTP
        case .hostHTTP: secure && httpOnly && fromHTTP && isHostWide
        }
    }

    private var text: StaticString {
        switch self {
        case .hostHTTP: "__host-http-"
        case .host: "__host-"
        case .http: "__http-"
        case .secure: "__secure-"
        }
    }
}
