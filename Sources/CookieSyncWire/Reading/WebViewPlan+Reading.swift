// SPDX-License-Identifier: Apache-2.0

extension NativeCookieBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        var properties: NSHTTPCookieBody?
        if let member = object.present("nshttpcookie") {
            properties = try NSHTTPCookieBody(json: member)
        }
        var android: AndroidCall?
        if let call = try object.present("android")?.anyObject() {
            android = AndroidCall(
                url: try call.required("url").string(),
                line: SecretBytes(try call.required("line").string()))
        }
        self.init(
            identity: try CookieIdentityBody(json: json),
            reason: try object.required("reason").choice(NativeSetReasonWord.self),
            properties: properties, android: android)
    }
}

extension NSHTTPCookieBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        var properties: [Property] = []
        for name in Self.names {
            guard let text = try object.string(name) else { continue }
            properties.append(Property(name: name, text: SecretBytes(text)))
        }
        self.init(properties: properties)
    }
}

extension WebViewPlanBody: ReadableBody {
    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.anyObject()
        self.init(
            revision: try object.required("revision").revision(),
            native: try object.required("native").bodies(NativeCookieBody.self),
            requests: try object.required("requests").bodies(CookieHeaderBody.self),
            script: SecretBytes(try object.required("script").string()))
    }
}
