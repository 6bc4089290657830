// SPDX-License-Identifier: Apache-2.0

extension VerdictBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        var cookie: CookieBody?
        if let member = object.present("cookie") { cookie = try CookieBody(json: member) }
        self.init(
            name: try object.requiredText("name", orBase64: "name_base64"),
            outcome: try object.required("outcome").text(),
            reason: try object.present("reason")?.text(), cookie: cookie,
            evicted: try object["evicted"]?.bodies(CookieIdentityBody.self) ?? [])
    }
}

extension VerdictsBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        var folding: FoldingBody?
        if let isFolded = try object.bool("folded") {
            folding = FoldingBody(
                isFolded: isFolded, isAmbiguous: try object.required("ambiguous").bool())
        }
        self.init(
            revision: try object.required("revision").revision(),
            results: try object.required("results").bodies(VerdictBody.self), folding: folding)
    }
}

extension DeletedBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            deleted: try object.required("deleted").count(),
            revision: try object.required("revision").revision())
    }
}
