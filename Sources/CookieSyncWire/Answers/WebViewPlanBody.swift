// SPDX-License-Identifier: Apache-2.0

/// A cookie that the app around a web view has to set; `NativeCookie` in openapi.yaml.
public struct NativeCookieBody: AnswerBody {
    /// The arguments of Android's `CookieManager.setCookie`.
    public struct AndroidCall: AnswerBody {
        /// The URL that the cookie is set for.
        public let url: [UInt8]
        /// The `Set-Cookie` line.
        public let line: SecretBytes

        /// The two arguments.
        public init(url: [UInt8], line: SecretBytes) {
            self.url = url
            self.line = line
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("url")
            writer.string(url)
            writer.name("line")
            writer.string(line.bytes)
            writer.endObject()
        }
    }

    /// Which cookie it is.
    public let identity: CookieIdentityBody
    /// Why no script can set it.
    public let reason: NativeSetReasonWord
    /// Its dictionary for `NSHTTPCookie`; nil for one that such a dictionary cannot hold.
    public let properties: NSHTTPCookieBody?
    /// What Android sets; nil for one that no line can say.
    public let android: AndroidCall?

    /// A cookie made of its parts.
    public init(
        identity: CookieIdentityBody, reason: NativeSetReasonWord, properties: NSHTTPCookieBody?,
        android: AndroidCall?
    ) {
        self.identity = identity
        self.reason = reason
        self.properties = properties
        self.android = android
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        identity.encodeMembers(to: &writer)
        writer.name("reason")
        writer.string(reason.rawValue)
        writer.name("nshttpcookie")
        if let properties { properties.encode(to: &writer) } else { writer.null() }
        writer.name("android")
        if let android { android.encode(to: &writer) } else { writer.null() }
        writer.endObject()
    }
}

/// What a web view needs before it loads some pages, in the order in which it needs it; `WebViewPlan` in openapi.yaml.
public struct WebViewPlanBody: AnswerBody {
    /// The revision that all of it is of.
    public let revision: UInt64
    /// The cookies to be set first, each once.
    public let native: [NativeCookieBody]
    /// The headers of the pages' requests, in the order of the question.
    public let requests: [CookieHeaderBody]
    /// What sets all other cookies at the start of each document.
    public let script: SecretBytes

    /// A plan made of its parts.
    public init(
        revision: UInt64, native: [NativeCookieBody], requests: [CookieHeaderBody],
        script: SecretBytes
    ) {
        self.revision = revision
        self.native = native
        self.requests = requests
        self.script = script
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("revision")
        writer.integer(revision)
        writer.name("native")
        writer.array(native)
        writer.name("requests")
        writer.array(requests)
        writer.name("script")
        writer.string(script.bytes)
        writer.endObject()
    }
}
