// SPDX-License-Identifier: Apache-2.0

/// A request that is about to be made: what `GET cookie-header` takes in its query, and one element of its batch
/// form.
public struct CookieHeaderQuery: Sendable {
    /// The URL about to be requested.
    public var url: [UInt8]
    /// The request's method; nil means GET.
    public var method: [UInt8]?
    /// How the request relates to the site that caused it.
    public var sameSiteContext: SameSiteContextWord = .strict
    /// Whether HttpOnly cookies take part.
    public var isHTTPAPI = true
    /// The top-level site, for partitioned cookies.
    public var partitionKey: [UInt8]?
    /// The real host when the URL is IP-direct.
    public var originHost: [UInt8]?

    /// A GET of a URL, everything else at its default.
    public init(url: [UInt8]) {
        self.url = url
    }

    private static let names: [StaticString] = [
        "url", "method", "same_site_context", "http_api", "partition_key", "origin_host",
    ]

    init(element: JSONValue) throws(SchemaError) {
        guard element.isObject else {
            guard element.isString else { throw element.error("must be a string or an object") }
            self.init(url: try element.string())
            return
        }
        let object = try element.object(Self.names)
        self.init(url: try object.required("url").string())
        if let member = object["method"] {
            method = MethodName.read(try member.string())
            if method == nil { throw member.error("must be a method's name") }
        }
        sameSiteContext =
            try object["same_site_context"]?.choice(SameSiteContextWord.self) ?? .strict
        isHTTPAPI = try object.bool("http_api") ?? true
        partitionKey = try object.nullableString("partition_key")
        originHost = try object.string("origin_host")
    }
}

/// Many URLs at once; `CookieHeadersRequest` in openapi.yaml.
public struct CookieHeadersBody: RequestBody {
    /// The most URLs in one call.
    public static let maximumCount = 500

    /// The requests about to be made.
    public let queries: [CookieHeaderQuery]

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["urls"])
        var queries: [CookieHeaderQuery] = []
        for element in try object.required("urls").elements(atMost: Self.maximumCount) {
            queries.append(try CookieHeaderQuery(element: element))
        }
        self.queries = queries
    }
}
