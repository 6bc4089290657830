// SPDX-License-Identifier: Apache-2.0

extension SyncResultBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            store: try object.required("store").string(),
            identity: try CookieIdentityBody(json: json),
            action: try object.required("action").text(),
            reason: try object.required("reason").text())
    }
}

extension SyncAnswerBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            revision: try object.required("revision").revision(),
            added: try object.required("added").count(),
            updated: try object.required("updated").count(),
            deleted: try object.required("deleted").count(),
            unchanged: try object.required("unchanged").count(),
            results: try object.required("results").bodies(SyncResultBody.self))
    }
}
