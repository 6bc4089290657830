// SPDX-License-Identifier: Apache-2.0

extension CookieHeaderBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            url: try object.required("url").string(),
            cookie: SecretBytes(try object.requiredText("cookie", orBase64: "cookie_base64")),
            count: try object.required("count").count(),
            expiresAt: try object.present("expires_at")?.time())
    }
}

extension CookieHeaderAnswerBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            cookie: SecretBytes(try object.requiredText("cookie", orBase64: "cookie_base64")),
            count: try object.required("count").count(),
            revision: try object.required("revision").revision(),
            expiresAt: try object.present("expires_at")?.time())
    }
}

extension CookieHeadersAnswerBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            results: try object.required("results").bodies(CookieHeaderBody.self),
            revision: try object.required("revision").revision())
    }
}
