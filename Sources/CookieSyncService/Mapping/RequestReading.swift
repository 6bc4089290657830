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
        if let host { url = try self.url(url, actingAs: host, at: "\(parent)/origin_host") }
        var context = SameSiteContext(query.sameSiteContext)
        if context == .lax, let method = query.method, !Self.isSafe(method) { context = .laxUnsafe }
        return GetCookieHeader(
            request: RequestContext(
                url: url, httpAPI: query.isHTTPAPI, sameSiteContext: context,
                partitionKey: partitionKey))
    }

    /// The use case that a response to ingest asks for.
    ///
    /// `parent` is the pointer of the body's members.
    func ingest(
        _ body: IngestBody, at parent: String
    ) throws(Problem) -> (useCase: IngestResponse, isFolded: Bool) {
        var url = try url(body.url, at: "\(parent)/url")
        if let name = body.originHost {
            let pointer = "\(parent)/origin_host"
            url = try self.url(url, actingAs: host(name, at: pointer), at: pointer)
        } else if let original = body.originalURL {
            let pointer = "\(parent)/original_url"
            url = try self.url(url, actingAs: self.url(original, at: pointer).host, at: pointer)
        }
        if let page = body.mainDocumentURL {
            _ = try self.url(page, at: "\(parent)/main_document_url")
        }
        let (lines, isFolded) = Self.setCookieLines(body.fields)
        guard lines.count <= IngestResponse.maximumLines else {
            throw .invalid(
                parent == "" ? "/headers" : "",
                "has more than \(IngestResponse.maximumLines) Set-Cookie lines")
        }
        let context = ResponseContext(
            url: url, httpAPI: body.isHTTPAPI,
            sameSiteContext: SameSiteContext(body.sameSiteContext),
            partitionKey: try partitionKey(body.partitionKey, at: "\(parent)/partition_key"),
            serverDate: body.fields.first { $0.isNamed("date") }
                .flatMap { CookieDate.parse($0.value.bytes) },
            source: body.isHTTPAPI ? .header : .script)
        return (IngestResponse(context: context, lines: lines, isDryRun: body.isDryRun), isFolded)
    }

    private static func setCookieLines(
        _ fields: [ResponseField]
    ) -> (lines: [[UInt8]], isFolded: Bool) {
        var lines: [[UInt8]] = []
        var isFolded = false
        for field in fields where field.isNamed("set-cookie") {
            guard field.mayBeFolded else {
                lines.append(field.value.bytes)
                continue
            }
            let unfolded = FoldedHeader(splitting: field.value.bytes).lines
            isFolded = isFolded || unfolded.count > 1
            lines += unfolded
        }
        return (lines, isFolded)
    }

    /// RFC 9110 section 9.2.1.
    private static func isSafe(_ method: [UInt8]) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains { method.elementsEqual($0.utf8) }
    }
}
