// SPDX-License-Identifier: Apache-2.0

/// A finished cookie that a client puts; `FinishedCookie` in openapi.yaml.
///
/// What `GET` gave can be put back: the read-only members are ignored.
public struct FinishedCookieBody: Sendable {
    /// The cookie's name, possibly empty.
    public let name: [UInt8]
    /// The cookie's value.
    public let value: SecretBytes
    /// The host, maybe after a dot.
    public let domain: [UInt8]
    /// Whether only that very host gets it; nil leaves it to the domain's leading dot.
    public let hostOnly: Bool?
    /// The path.
    public let path: [UInt8]
    /// Sent over secure connections only.
    public let secure: Bool
    /// Hidden from scripts.
    public let httpOnly: Bool
    /// The SameSite attribute; nil for none.
    public let sameSite: SameSiteWord?
    /// The top-level site of a partitioned cookie.
    public let partitionKey: [UInt8]?
    /// When it ends, in milliseconds since the epoch; nil for a session cookie.
    public let expires: Int64?

    private static let names: [StaticString] = [
        "name", "name_base64", "value", "value_base64", "domain", "host_only", "path",
        "path_base64", "secure", "http_only", "same_site", "partition_key", "expires",
        "created_at", "updated_at", "version", "was_session", "source",
    ]

    init(element: JSONValue) throws(SchemaError) {
        let object = try element.object(Self.names)
        guard let name = try object.text("name", orBase64: "name_base64") else {
            throw object.missing("name")
        }
        guard let value = try object.text("value", orBase64: "value_base64") else {
            throw object.missing("value")
        }
        self.name = name
        self.value = SecretBytes(value)
        domain = try object.required("domain").string()
        hostOnly = try object.bool("host_only")
        path = try object.text("path", orBase64: "path_base64") ?? [UInt8(ascii: "/")]
        secure = try object.bool("secure") ?? false
        httpOnly = try object.bool("http_only") ?? false
        partitionKey = try object.nullableString("partition_key")
        if let member = object["same_site"], !member.isNull {
            sameSite = try member.choice(SameSiteWord.self)
        } else {
            sameSite = nil
        }
        if let member = object["expires"], !member.isNull {
            guard member.isString, let time = RFC3339.parse(try member.string()) else {
                throw member.error("must be an RFC 3339 time or null")
            }
            expires = time
        } else {
            expires = nil
        }
    }
}

/// One cookie, an array of them, or an object with `cookies`; `PutCookiesRequest` in openapi.yaml.
public struct PutCookiesBody: RequestBody {
    /// The most cookies in one call.
    public static let maximumCount = 500

    /// The cookies, in the order of the body.
    public let cookies: [FinishedCookieBody]
    /// What comes before a cookie's index in its pointer; nil when the body is the one cookie.
    private let parent: String?

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let elements: [JSONValue]
        if json.isArray {
            elements = try json.elements(atMost: Self.maximumCount)
            parent = ""
        } else if json.isObject, json.hasMember("cookies") {
            let object = try json.object(["cookies"])
            elements = try object.required("cookies").elements(atMost: Self.maximumCount)
            parent = "/cookies"
        } else {
            elements = [json]
            parent = nil
        }
        var cookies: [FinishedCookieBody] = []
        cookies.reserveCapacity(elements.count)
        for element in elements { cookies.append(try FinishedCookieBody(element: element)) }
        self.cookies = cookies
    }

    /// The JSON pointer of a cookie in the body.
    public func pointer(to index: Int) -> String {
        parent.map { "\($0)/\(index)" } ?? ""
    }
}
