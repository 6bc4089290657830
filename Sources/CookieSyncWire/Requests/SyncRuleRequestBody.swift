// SPDX-License-Identifier: Apache-2.0

/// A standing sync; `SyncRuleRequest` in openapi.yaml.
public struct SyncRuleRequestBody: RequestBody {
    private static let maximumFilterItems = 100

    /// Which stores to copy from: a name, or its beginning and a `*`.
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
    /// Whether jars that are there already are brought in step as well.
    public let appliesToExisting: Bool

    /// Reads the body out of a checked JSON text.
    ///
    /// What an answer says besides is ignored, so that it can be put back.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object([
            "from", "to", "mode", "filter", "apply_to_existing", "name", "progress",
        ])
        from = try object.required("from").string()
        to = try object.required("to").string()
        mode = try object["mode"]?.choice(SyncModeWord.self) ?? .merge
        appliesToExisting = try object.bool("apply_to_existing") ?? false
        let filter = try object["filter"]?.object(["url", "domains", "names"])
        url = try filter?.nullableString("url")
        domains = try Self.items(of: filter, "domains")
        names = try Self.items(of: filter, "names")
    }

    private static func items(
        of filter: JSONObject?, _ name: StaticString
    ) throws(SchemaError) -> [[UInt8]] {
        var items: [[UInt8]] = []
        for element in try filter?[name]?.elements(atMost: maximumFilterItems) ?? [] {
            items.append(try element.string())
        }
        return items
    }
}
