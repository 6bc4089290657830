// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `POST S/ingest`.
    func ingestResponse(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let isMessage = call.mediaType == .message
        let body = isMessage ? try messageToIngest(call) : try call.decodeAlone(IngestBody.self)
        let useCase = try reading.ingest(body, at: isMessage ? "/query" : "")
        let showsValues = call.principal.seesValues
        useCase.run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) {
                VerdictsBody(
                    $0, folding: FoldingBody(useCase.lines), showingValues: showsValues)
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

    private func messageToIngest(_ call: Call) throws(Problem) -> IngestBody {
        var body = try call.response(ResponseHead(of: call.request.body))
        body.isHTTPAPI = try call.query.bool("http_api") ?? true
        body.isDryRun = try call.query.bool("dry_run") ?? false
        return body
    }

    private func messageToExchange(_ call: Call) throws(Problem) -> ExchangeBody {
        let query = call.query
        let head = try ResponseHead(of: call.request.body)
        var hop = ExchangeHop(response: try call.response(head), status: head.status)
        hop.hasSameSiteContext = true
        hop.method = try query.method()
        return ExchangeBody(
            hop: hop,
            redirectCount: try query.integer(
                "redirect_count", in: 0...ExchangeBody.maximumRedirectCount) ?? 0,
            isDryRun: try query.bool("dry_run") ?? false, parent: "/query")
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

    /// A response that came as its raw head, with what the query says about it.
    fileprivate func response(_ head: ResponseHead) throws(Problem) -> IngestBody {
        var body = IngestBody(url: try query.required("url"), fields: head.fields)
        body.originHost = try query.bytes("origin_host")
        body.originalURL = try query.bytes("original_url")
        if body.originHost != nil, body.originalURL != nil {
            throw .invalid("/query/original_url", "must not stand beside origin_host")
        }
        body.mainDocumentURL = try query.bytes("main_document_url")
        body.partitionKey = try query.bytes("partition_key")
        body.sameSiteContext =
            try query.choice("same_site_context", of: SameSiteContextWord.self) ?? .strict
        return body
    }
}
