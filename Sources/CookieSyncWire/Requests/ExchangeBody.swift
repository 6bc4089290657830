// SPDX-License-Identifier: Apache-2.0

/// One response of a chain of redirects; `ExchangeHop` in openapi.yaml.
public struct ExchangeHop: Sendable {
    /// The response.
    public var response: IngestBody
    /// Its status.
    public var status: Int
    /// The method of the request that it answers; nil for what the hop before led to.
    public var method: [UInt8]?
    /// Whether the response says how its request related to the site that caused it; if not, it is what the hop
    /// before led to.
    public var hasSameSiteContext = false

    /// A response to a GET.
    public init(response: IngestBody, status: Int) {
        self.response = response
        self.status = status
    }

    static let names: [StaticString] = [
        "url", "status", "headers", "method", "origin_host", "original_url", "main_document_url",
        "partition_key", "same_site_context",
    ]

    init(object: JSONObject) throws(SchemaError) {
        self.init(
            response: try IngestBody(response: object),
            status: try object.required("status").integer(in: 100...999))
        hasSameSiteContext = object["same_site_context"] != nil
        if let member = object["method"] {
            method = MethodName.read(try member.string())
            if method == nil { throw member.error("must be a method's name") }
        }
    }
}

/// One response, or a chain of them, after which a request is to be made; `ExchangeRequest` in openapi.yaml.
public struct ExchangeBody: RequestBody {
    /// The most responses in one call: as many redirects as are followed, and what they lead to.
    public static let maximumCount = 21
    /// The most redirects that may have come before.
    public static let maximumRedirectCount = 1000

    /// The responses, in their order.
    public let hops: [ExchangeHop]
    /// How many redirects came before the first of them.
    public let redirectCount: Int
    /// Whether nothing is to be changed.
    public let isDryRun: Bool
    /// What comes before the names of a hop's members in their pointers; nil when each hop has members of its own.
    private let parent: String?

    /// Responses whose members are pointed at below `parent`.
    public init(hops: [ExchangeHop], redirectCount: Int, isDryRun: Bool, parent: String) {
        self.hops = hops
        self.redirectCount = redirectCount
        self.isDryRun = isDryRun
        self.parent = parent
    }

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let common: [StaticString] = ["redirect_count", "dry_run"]
        let isChain = json.hasMember("hops")
        let object = try json.object(common + (isChain ? ["hops"] : ExchangeHop.names))
        var hops: [ExchangeHop] = []
        if isChain {
            let member = try object.required("hops")
            for element in try member.elements(atMost: Self.maximumCount) {
                hops.append(try ExchangeHop(object: element.object(ExchangeHop.names)))
            }
            guard !hops.isEmpty else { throw member.error("must have at least one element") }
        } else {
            hops = [try ExchangeHop(object: object)]
        }
        self.hops = hops
        parent = isChain ? nil : ""
        redirectCount =
            try object["redirect_count"]?.integer(in: 0...Self.maximumRedirectCount) ?? 0
        isDryRun = try object.bool("dry_run") ?? false
    }

    /// The pointer that a hop's members stand below.
    public func pointer(to index: Int) -> String { parent ?? "/hops/\(index)" }
}
