// SPDX-License-Identifier: Apache-2.0

/// The answer of `cookie-header`; `CookieHeader` in openapi.yaml.
///
/// The service writes it without this type, as it is the answer that must cost least.
public struct CookieHeaderAnswerBody: AnswerBody {
    /// The header's value; empty when no cookie matches.
    public let cookie: SecretBytes
    /// How many cookies it holds.
    public let count: Int
    /// The revision that it is of.
    public let revision: UInt64
    /// The soonest expiry among them, in milliseconds since the epoch.
    public let expiresAt: Int64?

    /// An answer.
    public init(cookie: SecretBytes, count: Int, revision: UInt64, expiresAt: Int64?) {
        self.cookie = cookie
        self.count = count
        self.revision = revision
        self.expiresAt = expiresAt
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("cookie", orBase64: "cookie_base64", cookie.bytes)
        writer.name("count")
        writer.integer(count)
        writer.name("revision")
        writer.integer(revision)
        writer.name("expires_at")
        writer.time(expiresAt)
        writer.endObject()
    }
}

/// One answer of the batch form of `cookie-header`.
public struct CookieHeaderBody: AnswerBody {
    /// The URL as it was asked for.
    public let url: [UInt8]
    /// The header's value.
    public let cookie: SecretBytes
    /// How many cookies it holds.
    public let count: Int
    /// The soonest expiry among them, in milliseconds since the epoch.
    public let expiresAt: Int64?

    /// An answer.
    public init(url: [UInt8], cookie: SecretBytes, count: Int, expiresAt: Int64?) {
        self.url = url
        self.cookie = cookie
        self.count = count
        self.expiresAt = expiresAt
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(to: &writer)
        writer.endObject()
    }

    func encodeMembers(to writer: inout JSONWriter) {
        writer.name("url")
        writer.string(url)
        writer.member("cookie", orBase64: "cookie_base64", cookie.bytes)
        writer.name("count")
        writer.integer(count)
        writer.name("expires_at")
        writer.time(expiresAt)
    }
}

/// The answer of the batch form of `cookie-header`; `CookieHeadersAnswer` in openapi.yaml.
public struct CookieHeadersAnswerBody: AnswerBody {
    /// An answer per URL, in the order of the request.
    public let results: [CookieHeaderBody]
    /// The revision that all of them are of.
    public let revision: UInt64

    /// An answer.
    public init(results: [CookieHeaderBody], revision: UInt64) {
        self.results = results
        self.revision = revision
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("results")
        writer.array(results)
        writer.name("revision")
        writer.integer(revision)
        writer.endObject()
    }
}
