// SPDX-License-Identifier: Apache-2.0

// What a client has to do after a response that may redirect it: RFC 9110 section 15.4 and the Fetch standard's
// "HTTP-redirect fetch", which say the same wherever a browser can tell.

/// A response as far as redirects look at it, with the request that it answers.
public struct RedirectResponse: Sendable {
    /// The URL that answered.
    public var url: RequestURL
    /// The request's method.
    public var method: [UInt8]
    /// How the request related to the page it came from.
    public var sameSiteContext: SameSiteContext
    /// The response's status.
    public var status: Int
    /// The values of its `Location` fields.
    public var locations: [[UInt8]]
    /// How many redirects came before it.
    public var redirectCount: Int

    /// A response made of its parts.
    public init(
        url: RequestURL, method: [UInt8], sameSiteContext: SameSiteContext, status: Int,
        locations: [[UInt8]], redirectCount: Int
    ) {
        self.url = url
        self.method = method
        self.sameSiteContext = sameSiteContext
        self.status = status
        self.locations = locations
        self.redirectCount = redirectCount
    }
}

/// The request that a redirect asks for.
public struct NextRequest: Sendable {
    /// Where it goes, with the fragment of the URL before where the target has none.
    public let url: RequestURL
    /// Where it goes as cookies see it: with the host that an address belongs to.
    public let actualURL: CookieURL
    /// Its method.
    public let method: [UInt8]
    /// Whether the body of the request before is sent again.
    public let keepsBody: Bool
    /// The header fields of the request before that must not be sent again.
    public let removedFields: [String]
    /// How it relates to the page that the first request came from.
    public let sameSiteContext: SameSiteContext
    /// How many redirects have been followed with it.
    public let redirectCount: Int
}

/// Where a response leads.
public enum Redirect: Sendable {
    /// Nowhere: it is the answer.
    case none
    /// To another request.
    case follow(NextRequest)
    /// To something that no HTTP client can request, such as an app: the target's text.
    case unsupportedScheme([UInt8])
    /// To a text that is no URL, or to several.
    case invalidLocation([UInt8])
    /// Further than any client goes: the target's text.
    case tooMany([UInt8])

    /// The most redirects in a row (Fetch, "HTTP-redirect fetch" step 7).
    public static let maximumCount = 20

    /// Where a response leads.
    ///
    /// `actual` is the same host, or the one that an address belongs to.
    public init<Failure: Error>(
        after response: RedirectResponse, rules: CookieRules,
        actual: (Host) throws(Failure) -> Host
    ) throws(Failure) {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.locations.first
        else {
            self = .none
            return
        }
        guard response.locations.allSatisfy({ $0 == location }) else {
            self = .invalidLocation(location)
            return
        }
        let target: RequestURL
        do throws(CookieURLError) {
            target = try response.url.resolving(location, names: rules.names)
                .inheritingFragment(of: response.url)
        } catch {
            self =
                error == .unsupportedScheme
                ? .unsupportedScheme(location) : .invalidLocation(location)
            return
        }
        let isHTTP = target.base.scheme == .http || target.base.scheme == .https
        if !isHTTP {
            self = .unsupportedScheme(target.text)
        } else if response.redirectCount >= Self.maximumCount {
            self = .tooMany(target.text)
        } else {
            let url = target.base.acting(as: try actual(target.base.host))
            self = .follow(NextRequest(to: target, as: url, after: response, rules: rules))
        }
    }

    /// Where a response leads, when every address stands for itself.
    public init(after response: RedirectResponse, rules: CookieRules) {
        self.init(after: response, rules: rules) { $0 }
    }
}

extension NextRequest {
    /// Fields that describe a body, and mean nothing without one (RFC 9110 section 15.4).
    private static let bodyFields = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location",
        "Content-Range", "Content-Type", "Content-Digest", "Digest", "Repr-Digest", "Expect",
        "Trailer", "Transfer-Encoding",
    ]
    /// Fields that are a secret of one origin.
    private static let credentialFields = ["Authorization", "Proxy-Authorization"]

    fileprivate init(
        to target: RequestURL, as actualURL: CookieURL, after response: RedirectResponse,
        rules: CookieRules
    ) {
        let isRewritten = Self.isRewritten(response.method, by: response.status)
        method = isRewritten ? Array("GET".utf8) : response.method
        keepsBody = !isRewritten
        url = target
        self.actualURL = actualURL
        redirectCount = response.redirectCount + 1
        // The cookies are new for each request, and so is the host.
        var removed = ["Cookie", "Host"]
        if isRewritten { removed += Self.bodyFields }
        if !target.hasSameOrigin(as: response.url) { removed += Self.credentialFields }
        removedFields = removed
        let isSameSite =
            PartitionKey.site(of: actualURL, rules: rules)
            == PartitionKey.site(of: response.url.base, rules: rules)
        sameSiteContext = Self.context(
            after: response.sameSiteContext, isSameSite: isSameSite,
            isSafe: RequestContext.isSafe(method: method))
    }

    /// Whether the method becomes GET: a POST with 301 and 302, and with 303 all but GET and HEAD.
    private static func isRewritten(_ method: [UInt8], by status: Int) -> Bool {
        let isMethod = { (name: String) in method.elementsEqual(name.utf8) }
        switch status {
        case 301, 302: return isMethod("POST")
        case 303: return !isMethod("GET") && !isMethod("HEAD")
        default: return false
        }
    }

    /// How the next request relates to the page that the chain began at.
    ///
    /// Who leaves the site goes on as a navigation of the top page from another site. What has been
    /// cross-site stays so, as nobody says which site the chain began at.
    private static func context(
        after context: SameSiteContext, isSameSite: Bool, isSafe: Bool
    ) -> SameSiteContext {
        switch context {
        case .strict where isSameSite: .strict
        case .strict, .lax, .laxUnsafe: isSafe ? .lax : .laxUnsafe
        case .crossSite: .crossSite
        }
    }
}

extension RequestContext {
    /// Whether a method is safe (RFC 9110 section 9.2.1).
    public static func isSafe(method: [UInt8]) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains { method.elementsEqual($0.utf8) }
    }
}
