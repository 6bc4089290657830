// SPDX-License-Identifier: Apache-2.0

/// One field of a response's head.
public struct ResponseField: Sendable {
    /// The field's name, as it was given.
    public let name: [UInt8]
    /// The field's value.
    public let value: SecretBytes
    /// Whether several lines may have been folded into the value.
    public let mayBeFolded: Bool

    /// A field.
    public init(name: [UInt8], value: SecretBytes, mayBeFolded: Bool) {
        self.name = name
        self.value = value
        self.mayBeFolded = mayBeFolded
    }

    /// Whether the field has this name, given in lower case.
    public func isNamed(_ lowercased: StaticString) -> Bool {
        guard name.count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { expected in
            zip(name, expected).allSatisfy { byte, letter in
                (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == letter
            }
        }
    }
}

/// A response to take cookies from; `IngestRequest` in openapi.yaml.
public struct IngestBody: RequestBody {
    /// The URL that answered.
    public var url: [UInt8]
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

    /// A response's fields for a URL, everything else at its default.
    public init(url: [UInt8], fields: [ResponseField]) {
        self.url = url
        self.fields = fields
        sameSiteContext = .strict
        isHTTPAPI = true
        isDryRun = false
    }

    private static let names: [StaticString] = [
        "url", "headers", "origin_host", "original_url", "main_document_url", "partition_key",
        "same_site_context", "http_api", "dry_run",
    ]

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(Self.names)
        try self.init(response: object)
        isHTTPAPI = try object.bool("http_api") ?? true
        isDryRun = try object.bool("dry_run") ?? false
    }

    /// Reads what an object says about a response and its request.
    init(response object: JSONObject) throws(SchemaError) {
        self.init(
            url: try object.required("url").string(),
            fields: try Self.fields(object.required("headers")))
        originHost = try object.string("origin_host")
        originalURL = try object.string("original_url")
        if originHost != nil, let member = object["original_url"] {
            throw member.error("must not stand beside origin_host")
        }
        mainDocumentURL = try object.string("main_document_url")
        partitionKey = try object.nullableString("partition_key")
        sameSiteContext =
            try object["same_site_context"]?.choice(SameSiteContextWord.self) ?? .strict
    }

    private static func fields(_ headers: JSONValue) throws(SchemaError) -> [ResponseField] {
        var fields: [ResponseField] = []
        if headers.isArray {
            for pair in try headers.elements() {
                let elements = try pair.elements()
                guard elements.count == 2 else {
                    throw pair.error("must be a pair of name and value")
                }
                fields.append(
                    ResponseField(
                        name: try elements[0].string(),
                        value: SecretBytes(try elements[1].string()), mayBeFolded: false))
            }
            return fields
        }
        guard headers.isObject else {
            throw headers.error("must be an array of pairs or an object")
        }
        for (name, value) in try headers.members() {
            let lines = value.isString ? [value] : try value.elements()
            for line in lines {
                fields.append(
                    ResponseField(
                        name: name, value: SecretBytes(try line.string()),
                        mayBeFolded: value.isString))
            }
        }
        return fields
    }
}
