// SPDX-License-Identifier: Apache-2.0

/// The request that comes next; `NextRequest` in openapi.yaml.
public struct NextRequestBody: AnswerBody {
    /// Its method.
    public let method: [UInt8]
    /// Whether the body of the request before is sent again.
    public let keepsBody: Bool
    /// The header fields of the request before that must not be sent again.
    public let removedFields: [String]
    /// How it relates to the site that caused it.
    public let sameSiteContext: SameSiteContextWord
    /// Where it goes, and its `Cookie` header.
    public let header: CookieHeaderBody
    /// How many redirects have been followed with it.
    public let redirectCount: Int

    /// A request made of its parts.
    public init(
        method: [UInt8], keepsBody: Bool, removedFields: [String],
        sameSiteContext: SameSiteContextWord, header: CookieHeaderBody, redirectCount: Int
    ) {
        self.method = method
        self.keepsBody = keepsBody
        self.removedFields = removedFields
        self.sameSiteContext = sameSiteContext
        self.header = header
        self.redirectCount = redirectCount
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        header.encodeMembers(to: &writer)
        writer.name("method")
        writer.string(method)
        writer.name("body")
        writer.string(keepsBody ? "keep" : "drop")
        writer.name("remove_headers")
        writer.beginArray()
        for field in removedFields { writer.string(field) }
        writer.endArray()
        writer.name("same_site_context")
        writer.string(sameSiteContext.rawValue)
        writer.name("redirect_count")
        writer.integer(redirectCount)
        writer.endObject()
    }
}

/// The answer of `exchange`; `ExchangeAnswer` in openapi.yaml.
public struct ExchangeAnswerBody: AnswerBody {
    /// What became of one response's cookies.
    public struct Hop: AnswerBody {
        /// The URL that the cookies were filed under.
        public let url: [UInt8]
        /// A verdict per cookie.
        public let results: [VerdictBody]
        /// What was found out about folding.
        public let folding: FoldingBody

        /// What became of it.
        public init(url: [UInt8], results: [VerdictBody], folding: FoldingBody) {
            self.url = url
            self.results = results
            self.folding = folding
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("url")
            writer.string(url)
            writer.name("results")
            writer.array(results)
            folding.encodeMembers(to: &writer)
            writer.endObject()
        }
    }

    /// The jar's revision.
    public let revision: UInt64
    /// Where the last response leads: `none`, `follow`, `unsupported-scheme`, `invalid-location` or
    /// `too-many-redirects`.
    public let redirect: String
    /// The target; nil when it leads nowhere.
    public let location: [UInt8]?
    /// The request that comes next; nil when none does.
    public let next: NextRequestBody?
    /// The responses, in their order.
    public let hops: [Hop]

    /// An answer made of its parts.
    public init(
        revision: UInt64, redirect: String, location: [UInt8]?, next: NextRequestBody?, hops: [Hop]
    ) {
        self.revision = revision
        self.redirect = redirect
        self.location = location
        self.next = next
        self.hops = hops
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("redirect")
        writer.string(redirect)
        if let location {
            writer.member("location", orBase64: "location_base64", location)
        } else {
            writer.name("location")
            writer.null()
        }
        writer.name("next")
        if let next { next.encode(to: &writer) } else { writer.null() }
        writer.name("hops")
        writer.array(hops)
        writer.endObject()
    }
}
