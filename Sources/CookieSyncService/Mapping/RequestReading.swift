// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

extension HostReading {
    /// The use case that a query asks for.
    ///
    /// `parent` is the pointer of the query's members.
    func cookieHeader(
        _ query: CookieHeaderQuery, at parent: String, urlAt urlPointer: String
    ) throws(Problem) -> GetCookieHeader {
        let partitionKey = try partitionKey(query.partitionKey, at: "\(parent)/partition_key")
        var host: Host?
        if let name = query.originHost { host = try self.host(name, at: "\(parent)/origin_host") }
        guard var url = try readableURL(query.url, at: urlPointer) else {
            return GetCookieHeader(request: nil)
        }
        if let host { url = url.acting(as: host) }
        var context = SameSiteContext(query.sameSiteContext)
        if context == .lax, let method = query.method, !RequestContext.isSafe(method: method) {
            context = .laxUnsafe
        }
        return GetCookieHeader(
            request: RequestContext(
                url: url, httpAPI: query.isHTTPAPI, sameSiteContext: context,
                partitionKey: partitionKey))
    }

    /// The use case that a response to ingest asks for.
    func ingest(_ body: IngestBody) throws(Problem) -> IngestResponse {
        IngestResponse(responses: [try response(body, at: "")], isDryRun: body.isDryRun)
    }

    /// The use case that the responses of a message ask for.
    ///
    /// `parent` is the pointer of the bodies' members.
    func ingest(
        _ bodies: [IngestBody], at parent: String
    ) throws(Problem) -> IngestResponse {
        IngestResponse(
            responses: try bodies.map { body throws(Problem) in try response(body, at: parent) },
            isDryRun: bodies.contains { $0.isDryRun })
    }

    private func response(
        _ body: IngestBody, at parent: String
    ) throws(Problem) -> IngestResponse.Response {
        var url = try url(body.url, at: "\(parent)/url")
        if let host = try actualHost(of: body, at: parent) { url = url.acting(as: host) }
        return IngestResponse.Response(
            context: try context(of: body, from: url, at: parent),
            lines: try lines(of: body, at: parent))
    }

    /// The use case that a chain of responses asks for.
    func exchange(_ body: ExchangeBody) throws(Problem) -> ExchangeResponses {
        var responses: [ExchangeResponses.Response] = []
        for (index, hop) in body.hops.enumerated() {
            let parent = body.pointer(to: index)
            let response = hop.response
            var url = try requestURL(Array(response.url), at: "\(parent)/url")
            if let host = try actualHost(of: response, at: parent) { url = url.acting(as: host) }
            responses.append(
                ExchangeResponses.Response(
                    url: url, method: hop.method,
                    sameSiteContext: hop.hasSameSiteContext
                        ? SameSiteContext(response.sameSiteContext) : nil,
                    status: hop.status,
                    locations: response.fields.filter { $0.isNamed("location") }
                        .map { Array($0.secretValue) },
                    redirectCount: body.redirectCount + index,
                    context: try context(of: response, from: url.base, at: parent),
                    lines: try lines(of: response, at: parent)))
        }
        return ExchangeResponses(responses: responses, isDryRun: body.isDryRun)
    }

    /// The host that an IP-direct response is of; nil when its URL names it.
    private func actualHost(of body: IngestBody, at parent: String) throws(Problem) -> Host? {
        if let name = body.originHost { return try host(name, at: "\(parent)/origin_host") }
        guard let original = body.originalURL else { return nil }
        return try url(original, at: "\(parent)/original_url").host
    }

    @inline(__always)
    private func context(
        of body: IngestBody, from url: CookieURL, at parent: String
    ) throws(Problem) -> ResponseContext {
        var mainDocument: Host?
        if let page = body.mainDocumentURL {
            mainDocument = try self.url(page, at: "\(parent)/main_document_url").host
        }
        let partitionKey = try partitionKey(body.partitionKey, at: "\(parent)/partition_key")
        let serverDate = body.fields.first { $0.isNamed("date") }
            .flatMap { CookieDate.parse($0.secretValue) }
        return ResponseContext(
            url: url, httpAPI: body.isHTTPAPI,
            sameSiteContext: SameSiteContext(body.sameSiteContext), partitionKey: partitionKey,
            serverDate: serverDate, source: body.isHTTPAPI ? .header : .script,
            mainDocument: mainDocument)
    }

    private func lines(of body: IngestBody, at parent: String) throws(Problem) -> SetCookieLines {
        let lines = SetCookieLines(in: body.fields)
        guard lines.count <= IngestResponse.maximumLines else {
            throw .invalid(
                parent == "/query" ? "" : "\(parent)/headers",
                "has more than \(IngestResponse.maximumLines) Set-Cookie lines")
        }
        return lines
    }
}
