// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// One store of a jar.
///
/// A store that does not exist yet has no cookies, and is no error.
public struct StoreClient: Sendable {
    let caller: Caller
    let path: [String]

    /// Hands over the header fields of a response, so that its cookies are stored.
    ///
    /// - Parameters:
    ///   - url: The URL that answered.
    ///   - headers: Its fields, as `allHeaderFields` has them: several `Set-Cookie` lines may be one text. Only `Set-Cookie`
    ///     and `Date` leave the caller.
    ///   - originHost: The real host where the URL has an address in its place.
    ///   - conditions: What must hold for it; by default, that it is made once.
    /// - Returns: A verdict per cookie; a refused one is no error.
    /// - Throws: Why nothing was stored.
    @discardableResult
    public func handleResponse(
        from url: String, headers: [String: String], originHost: String? = nil,
        conditions: WriteConditions = .once
    ) async throws(ClientError) -> VerdictsBody {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("url")
        writer.string(url)
        if let originHost {
            writer.name("origin_host")
            writer.string(originHost)
        }
        writer.name("headers")
        writer.beginObject()
        for (name, lowercased) in [("Set-Cookie" as StaticString, "set-cookie"), ("Date", "date")] {
            let values = headers.filter { $0.key.lowercased() == lowercased }.map(\.value)
            guard !values.isEmpty else { continue }
            writer.name(name)
            writer.string(values.joined(separator: ", "))
        }
        writer.endObject()
        writer.endObject()
        var call = APICall(method: "POST", path: path + ["ingest"], conditions: conditions)
        call.body = ("application/json", writer.bytes)
        return try await caller.body(VerdictsBody.self, of: call)
    }

    /// Hands over the raw head of a response, bytes untouched.
    ///
    /// - Parameters:
    ///   - url: The URL that answered.
    ///   - head: The head, as `curl -i` shows it; what follows it is passed over.
    ///   - originHost: The real host where the URL has an address in its place.
    ///   - conditions: What must hold for it; by default, that it is made once.
    /// - Returns: A verdict per cookie; a refused one is no error.
    /// - Throws: Why nothing was stored.
    @discardableResult
    public func handleResponse(
        from url: String, head: [UInt8], originHost: String? = nil,
        conditions: WriteConditions = .once
    ) async throws(ClientError) -> VerdictsBody {
        var call = APICall(method: "POST", path: path + ["ingest"], conditions: conditions)
        call.query.append(("url", url))
        if let originHost { call.query.append(("origin_host", originHost)) }
        call.body = ("message/http", head)
        return try await caller.body(VerdictsBody.self, of: call)
    }

    /// The `Cookie` header of a request, and about it; empty when no cookie goes to the URL.
    public func cookieHeader(
        for url: String, method: String = "GET", originHost: String? = nil
    ) async throws(ClientError) -> CookieHeaderAnswerBody {
        var call = APICall(method: "GET", path: path + ["cookie-header"])
        call.query = [("url", url), ("method", method)]
        if let originHost { call.query.append(("origin_host", originHost)) }
        return try await caller.body(CookieHeaderAnswerBody.self, of: call)
    }

    /// Deletes the cookies in a URL's scope: those that it would get, whatever Secure, HttpOnly or SameSite say.
    @discardableResult
    public func deleteCookies(
        for url: String, conditions: WriteConditions = .none
    ) async throws(ClientError) -> DeletedBody {
        var call = APICall(method: "DELETE", path: path + ["cookies"], conditions: conditions)
        call.query.append(("url", url))
        return try await caller.body(DeletedBody.self, of: call)
    }

    /// Deletes every cookie of the store.
    @discardableResult
    public func deleteAllCookies(
        conditions: WriteConditions = .none
    ) async throws(ClientError) -> DeletedBody {
        var call = APICall(method: "DELETE", path: path + ["cookies"], conditions: conditions)
        call.query.append(("all", "true"))
        return try await caller.body(DeletedBody.self, of: call)
    }

    /// One page of the store's cookies.
    public func cookies(
        for url: String? = nil, after cursor: [UInt8]? = nil, limit: Int = 500
    ) async throws(ClientError) -> CookiePageBody {
        var call = APICall(method: "GET", path: path + ["cookies"])
        call.query.append(("limit", String(limit)))
        if let url { call.query.append(("url", url)) }
        if let cursor { call.query.append(("cursor", String(decoding: cursor, as: UTF8.self))) }
        return try await caller.body(CookiePageBody.self, of: call)
    }
}
