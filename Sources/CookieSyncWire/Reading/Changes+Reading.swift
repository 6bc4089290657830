// SPDX-License-Identifier: Apache-2.0

extension ChangeBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        let kind = try object.required("kind").text()
        let cookie = try object.required("cookie")
        self.init(
            revision: try object.required("revision").revision(),
            at: try object.required("at").time(), store: try object.required("store").string(),
            kind: kind, cause: try object.required("cause").text(),
            subject: kind == "removed"
                ? .identity(try CookieIdentityBody(json: cookie))
                : .cookie(try CookieBody(json: cookie)))
    }
}

extension ChangePageBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            changes: try object.required("changes").bodies(ChangeBody.self),
            revision: try object.required("revision").revision(),
            hasMore: try object.required("more").bool())
    }
}
