// SPDX-License-Identifier: Apache-2.0

/// How a request relates to the page it comes from (section 5.2).
public enum SameSiteContext: String, Sendable, Hashable, CaseIterable {
    /// A same-site request.
    case strict
    /// A cross-site navigation of the top-level page with a safe method.
    case lax
    /// A cross-site navigation of the top-level page with an unsafe method, such as a form's POST.
    case laxUnsafe = "lax-unsafe"
    /// Any other cross-site request.
    case crossSite = "cross-site"
}

/// Where a `Set-Cookie` line came from.
public struct ResponseContext: Sendable {
    /// The URL that answered.
    public var url: CookieURL
    /// False for a cookie that a script wrote.
    public var httpAPI: Bool
    /// How the request relates to its page.
    public var sameSiteContext: SameSiteContext
    /// The top-level site for partitioned cookies; nil means the URL's own.
    public var partitionKey: [UInt8]?
    /// What is written down as the cookie's source.
    public var source: CookieSource
    /// The response's `Date`, which shows how far the server's clock is off.
    public var serverDate: Timestamp?
    /// The host of the page that the user sees; nil when it is not known.
    public var mainDocument: Host?
}

extension ResponseContext {
    // Apart, and with its parts in another order, so that the compiler's own is there, which makes the value in one go.
    /// The context of a response.
    public init(
        url: CookieURL, httpAPI: Bool = true, sameSiteContext: SameSiteContext = .strict,
        partitionKey: [UInt8]? = nil, serverDate: Timestamp? = nil, source: CookieSource = .header,
        mainDocument: Host? = nil
    ) {
        self.init(
            url: url, httpAPI: httpAPI, sameSiteContext: sameSiteContext,
            partitionKey: partitionKey, source: source, serverDate: serverDate,
            mainDocument: mainDocument)
    }
}

/// A request that is to be sent.
///
/// An object, so that a question that is asked again and again is passed on without a copy of its parts.
public final class RequestContext: Sendable {
    /// The URL to be requested.
    public let url: CookieURL
    /// False for a script that reads its cookies.
    public let httpAPI: Bool
    /// How the request relates to its page.
    public let sameSiteContext: SameSiteContext
    /// The top-level site for partitioned cookies; nil means the URL's own.
    public let partitionKey: [UInt8]?

    /// The context of a request.
    public init(
        url: CookieURL, httpAPI: Bool = true, sameSiteContext: SameSiteContext = .strict,
        partitionKey: [UInt8]? = nil
    ) {
        self.url = url
        self.httpAPI = httpAPI
        self.sameSiteContext = sameSiteContext
        self.partitionKey = partitionKey
    }
}
