// SPDX-License-Identifier: Apache-2.0

/// A response to take cookies from; `IngestRequest` in openapi.yaml.
public struct IngestBody: RequestBody {
    /// The URL that answered.
    public var url: ArraySlice<UInt8>
    /// The response's header fields.
    public var fields: [ResponseField]
    /// The real host when the URL is IP-direct.
    public var originHost: [UInt8]?
    /// The URL with the real host when `url` is IP-direct.
    public var originalURL: [UInt8]?
    /// The page the request was made for.
    public var mainDocumentURL: [UInt8]?
    /// The top-level site, for partitioned cookies.
    public var partitionKey: [UInt8]?
    /// How the request related to the site that caused it.
    public var sameSiteContext: SameSiteContextWord
    /// Whether the cookies came in a header, as opposed to a script's `document.cookie`.
    public var isHTTPAPI: Bool
    /// Whether nothing is to be changed.
    public var isDryRun: Bool
}

// All initialisers stand apart so that the compiler's own is there, which makes the value of its parts in one go.
extension IngestBody {
    /// A response's fields for a URL, everything else at its default.
    public init(url: [UInt8], fields: [ResponseField]) {
        self.init(
            url: url[...], fields: fields, sameSiteContext: .strict, isHTTPAPI: true,
            isDryRun: false)
    }

    private static let names: [StaticString] = [
        "url", "headers", "origin_host", "original_url", "main_document_url", "partition_key",
        "same_site_context", "http_api", "dry_run",
    ]

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        self = try Self.read(json.object(Self.names), isWhole: true)
    }

    /// Reads what an object says about a response and its request.
    init(response object: JSONObject) throws(SchemaError) {
        self = try Self.read(object, isWhole: false)
    }

    /// Reads an object: the body itself, which has more to say than one hop of many.
    private static func read(
        _ object: JSONObject, isWhole: Bool
    ) throws(SchemaError) -> IngestBody {
        let url = try object.required("url").octets()
        let fields = try ResponseField.fields(object.required("headers"))
        let originHost = try object.string("origin_host")
        let originalURL = try object.string("original_url")
        if originHost != nil, let member = object["original_url"] {
            throw member.error("must not stand beside origin_host")
        }
        let mainDocumentURL = try object.string("main_document_url")
        let partitionKey = try object.nullableString("partition_key")
        let context =
            try object["same_site_context"]?.choice(SameSiteContextWord.self) ?? .strict
        return IngestBody(
            url: url, fields: fields, originHost: originHost, originalURL: originalURL,
            mainDocumentURL: mainDocumentURL, partitionKey: partitionKey, sameSiteContext: context,
            isHTTPAPI: isWhole ? try object.bool("http_api") ?? true : true,
            isDryRun: isWhole ? try object.bool("dry_run") ?? false : false)
    }
}
