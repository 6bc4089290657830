// SPDX-License-Identifier: Apache-2.0

/// What a tenant may take; `TenantLimits` in openapi.yaml.
public struct TenantLimitsBody: AnswerBody, Hashable {
    /// Octets of its data on disk; nil for any number.
    public var bytes: Int?
    /// Requests in a second; nil for any number.
    public var requestsPerSecond: Int?

    /// Limits made of their parts.
    public init(bytes: Int?, requestsPerSecond: Int?) {
        self.bytes = bytes
        self.requestsPerSecond = requestsPerSecond
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("bytes")
        writer.optional(bytes)
        writer.name("requests_per_second")
        writer.optional(requestsPerSecond)
        writer.endObject()
    }
}

/// How a tenant is to be; `TenantSettings` in openapi.yaml.
///
/// Members that are nil stay as they are.
public struct TenantSettingsBody: RequestBody {
    /// How many octets it may take; `.some(nil)` for any number.
    public let bytes: Int??
    /// How many requests it may make in a second; `.some(nil)` for any number.
    public let requestsPerSecond: Int??

    /// Settings that leave everything as it is.
    public init() {
        bytes = nil
        requestsPerSecond = nil
    }

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["limits"])
        let limits = try object["limits"].map { (limits) throws(SchemaError) in
            try limits.object(["bytes", "requests_per_second"])
        }
        bytes = try limits?.nullableInteger("bytes", in: 0...(1 << 50)) ?? nil
        requestsPerSecond =
            try limits?.nullableInteger("requests_per_second", in: 1...1_000_000) ?? nil
    }
}

/// A token to make; `TokenRequest` in openapi.yaml.
public struct TokenRequestBody: RequestBody {
    /// The most jars and the most stores that a token can be limited to.
    public static let (maximumJars, maximumStores) = (100, 64)
    /// How long a token can live, in seconds: a year.
    public static let maximumLifetime = 31_536_000

    /// What people call it.
    public let name: [UInt8]
    /// The names of what it may do.
    public let scopes: [ScopeWord]
    /// The jars it is limited to; empty for all.
    public let jars: [[UInt8]]
    /// The stores it is limited to; empty for all.
    public let stores: [[UInt8]]
    /// For how many seconds it is valid; nil for as long as is usual.
    public let expiresInSeconds: Int?
    /// How many requests it may make in a second; nil for any number.
    public let requestsPerSecond: Int?

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object([
            "name", "scopes", "jars", "stores", "expires_in_seconds", "requests_per_second",
        ])
        let nameMember = try object.required("name")
        name = try nameMember.string()
        guard 1...128 ~= name.count, name.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw nameMember.error("must be 1 to 128 octets without control characters")
        }
        let scopesMember = try object.required("scopes")
        var scopes: [ScopeWord] = []
        for element in try scopesMember.elements(atMost: ScopeWord.allCases.count) {
            let scope = try element.choice(ScopeWord.self)
            guard !scopes.contains(scope) else { throw element.error("must not be repeated") }
            scopes.append(scope)
        }
        guard !scopes.isEmpty else { throw scopesMember.error("must name at least one scope") }
        self.scopes = scopes
        jars = try Self.names(object["jars"], atMost: Self.maximumJars)
        stores = try Self.names(object["stores"], atMost: Self.maximumStores)
        expiresInSeconds = try object["expires_in_seconds"]?.integer(in: 1...Self.maximumLifetime)
        requestsPerSecond =
            try object.nullableInteger("requests_per_second", in: 1...1_000_000) ?? nil
    }

    private static func names(
        _ list: JSONValue?, atMost limit: Int
    ) throws(SchemaError) -> [[UInt8]] {
        guard let list else { return [] }
        var names: [[UInt8]] = []
        for element in try list.elements(atMost: limit) {
            let name = try element.string()
            guard !names.contains(name) else { throw element.error("must not be repeated") }
            names.append(name)
        }
        return names
    }
}

/// How a token's secret is to be replaced; `RotateRequest` in openapi.yaml.
public struct RotateBody: RequestBody {
    /// For how many seconds the old secret goes on being taken.
    public let overlapSeconds: Int
    /// For how many seconds the token is valid from now on; nil for as long as is usual.
    public let expiresInSeconds: Int?

    /// What holds where nothing is said.
    public init() {
        overlapSeconds = 3600
        expiresInSeconds = nil
    }

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["overlap_seconds", "expires_in_seconds"])
        overlapSeconds =
            try object["overlap_seconds"]?.integer(in: 0...86_400) ?? RotateBody().overlapSeconds
        expiresInSeconds = try object["expires_in_seconds"]?
            .integer(in: 1...TokenRequestBody.maximumLifetime)
    }
}

extension JSONObject {
    /// A number that may be `null`; nil without the member.
    fileprivate func nullableInteger(
        _ name: StaticString, in range: ClosedRange<Int>
    ) throws(SchemaError) -> Int?? {
        guard let member = self[name] else { return nil }
        return member.isNull ? .some(nil) : .some(try member.integer(in: range))
    }
}
