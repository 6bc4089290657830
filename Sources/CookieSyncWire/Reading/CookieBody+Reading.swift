// SPDX-License-Identifier: Apache-2.0

extension CookieIdentityBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            name: try object.requiredText("name", orBase64: "name_base64"),
            domain: try object.required("domain").string(),
            hostOnly: try object.required("host_only").bool(),
            path: try object.requiredText("path", orBase64: "path_base64"),
            partitionKey: try object.nullableString("partition_key"))
    }
}

extension CookieBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            identity: try CookieIdentityBody(json: json),
            value: try object.text("value", orBase64: "value_base64").map(SecretBytes.init),
            secure: try object.required("secure").bool(),
            httpOnly: try object.required("http_only").bool(),
            sameSite: try object.present("same_site")?.choice(SameSiteWord.self),
            expires: try object.present("expires")?.time(),
            createdAt: try object.required("created_at").time(),
            updatedAt: try object.required("updated_at").time(),
            version: try object.required("version").revision(),
            wasSession: try object.required("was_session").bool(),
            source: try object.required("source").text())
    }
}

extension CookiePageBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            cookies: try object.required("cookies").bodies(CookieBody.self),
            nextCursor: try object.nullableString("next_cursor"),
            revision: try object.required("revision").revision())
    }
}
