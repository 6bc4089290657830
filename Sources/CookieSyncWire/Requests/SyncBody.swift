// SPDX-License-Identifier: Apache-2.0

/// Which stores to sync and how; `SyncRequest` in openapi.yaml.
public struct SyncBody: RequestBody {
    /// The store to copy from.
    public let from: [UInt8]
    /// The store to copy to.
    public let to: [UInt8]
    /// How.
    public let mode: SyncModeWord
    /// Only cookies in this URL's scope.
    public let url: [UInt8]?
    /// Only cookies of these domains; empty for all.
    public let domains: [[UInt8]]
    /// Only cookies of these names; empty for all.
    public let names: [[UInt8]]
    /// Whether nothing is to be changed.
    public let isDryRun: Bool

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["from", "to", "mode", "filter", "dry_run"])
        from = try object.required("from").string()
        to = try object.required("to").string()
        mode = try object["mode"]?.choice(SyncModeWord.self) ?? .merge
        isDryRun = try object.bool("dry_run") ?? false
        let filter = try object["filter"]?.object(["url", "domains", "names"])
        url = try filter?.string("url")
        domains = try filter?.strings("domains") ?? []
        names = try filter?.strings("names") ?? []
    }
}

/// Which cookies to move where; `RewriteDomainRequest` in openapi.yaml.
public struct RewriteDomainBody: RequestBody {
    /// The address or host to move from.
    public let from: [UInt8]
    /// The host to move to.
    public let to: [UInt8]
    /// Whether the host's subdomains get the cookies as well.
    public let isDomainWide: Bool
    /// Whether nothing is to be changed.
    public let isDryRun: Bool

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["from", "to", "domain_wide", "dry_run"])
        from = try object.required("from").string()
        to = try object.required("to").string()
        isDomainWide = try object.bool("domain_wide") ?? false
        isDryRun = try object.bool("dry_run") ?? false
    }
}
