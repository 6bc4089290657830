// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `POST S/ingest`.
    func ingestResponse(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let reading = reading(on: exchange.note.loop)
        let useCase =
            call.mediaType == .message
            ? try reading.ingest(try messageToIngest(call), at: "/query")
            : try reading.ingest(try call.decodeAlone(IngestBody.self))
        // Of a message no line can be folded, and JSON has one response.
        let folding = useCase.responses.first.map { FoldingBody($0.lines) }
        let showsValues = call.principal.seesValues
        let (reply, id) = (later(call, &exchange), call.id)
        useCase.run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: { [self] result in
                reply.send(
                    response(
                        result.map {
                            .json(
                                VerdictsBody($0, folding: folding, showingValues: showsValues), id)
                        }, id))
            })
    }

    /// `POST S/exchange`.
    func exchangeResponses(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let isMessage = call.mediaType == .message
        let body = isMessage ? try messageToExchange(call) : try call.decodeAlone(ExchangeBody.self)
        let useCase = try reading.exchange(body)
        useCase.run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) { ExchangeAnswerBody($0) })
    }

    private func messageToIngest(_ call: Call) throws(Problem) -> [IngestBody] {
        let isHTTPAPI = try call.query.bool("http_api") ?? true
        let isDryRun = try call.query.bool("dry_run") ?? false
        return try responses(call, method: nil).map { hop in
            var body = hop.response
            body.isHTTPAPI = isHTTPAPI
            body.isDryRun = isDryRun
            return body
        }
    }

    private func messageToExchange(_ call: Call) throws(Problem) -> ExchangeBody {
        let query = call.query
        return ExchangeBody(
            hops: try responses(call, method: try query.method()),
            redirectCount: try query.integer(
                "redirect_count", in: 0...ExchangeBody.maximumRedirectCount) ?? 0,
            isDryRun: try query.bool("dry_run") ?? false, parent: "/query")
    }

    /// The responses that came as their raw heads, with what the query says about them.
    private func responses(
        _ call: Call, method: [UInt8]?
    ) throws(Problem) -> [ExchangeHop] {
        let query = call.query
        let url = try reading.requestURL(try query.required("url"), at: "/query/url")
        let context =
            try query.choice("same_site_context", of: SameSiteContextWord.self) ?? .strict
        let chain = try ResponseChain(
            of: call.request.body, url: url, method: method ?? Array("GET".utf8),
            sameSiteContext: SameSiteContext(context), rules: rules)
        var responses: [ExchangeHop] = []
        for link in chain.links {
            var body = IngestBody(url: link.url.text, fields: link.head.fields)
            body.mainDocumentURL = try query.bytes("main_document_url")
            body.partitionKey = try query.bytes("partition_key")
            body.sameSiteContext = SameSiteContextWord(link.sameSiteContext)
            // Who dials an address speaks to the same host for as long as it stays with that address.
            if link.url.base.host == url.base.host {
                body.originHost = try query.bytes("origin_host")
                body.originalURL = try query.bytes("original_url")
            }
            var hop = ExchangeHop(response: body, status: link.head.status)
            (hop.method, hop.hasSameSiteContext) = (link.method, true)
            responses.append(hop)
        }
        if try query.bytes("origin_host") != nil, try query.bytes("original_url") != nil {
            throw .invalid("/query/original_url", "must not stand beside origin_host")
        }
        return responses
    }
}

extension Call {
    /// The body of a route that takes parameters only where the body is no JSON.
    fileprivate func decodeAlone<Body: RequestBody>(_ type: Body.Type) throws(Problem) -> Body {
        guard query.isEmpty else {
            throw .invalid("/query", "is for message/http only; use the body's members")
        }
        return try decode(type)
    }
}
