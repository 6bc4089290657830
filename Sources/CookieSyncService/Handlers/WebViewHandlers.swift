// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET S/document-cookie.js`.
    func getDocumentCookieScript(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let key = try reading.partitionKey(
            try call.query.bytes("partition_key"), at: "/query/partition_key")
        let request = try reading.pageRequest(
            try call.query.required("url"), partitionKey: key, at: "/query/url")
        let (store, id) = (try call.storeID(), call.id)
        let (held, takesGzip) = (HeldTags(of: call.request), call.request.acceptsGzip)
        try answer(call, &exchange, namesAddress: request?.url.host.isAddress ?? false) {
            [self] snapshot, hosts throws(ServiceError) in
            let request = try hosts.actual(request)
            let store = snapshot.store(store)
            var script: [UInt8] = []
            PageCookies(of: request, in: store?.state, rules: rules, now: clock())
                .appendScript(to: &script)
            let tag = script.withUnsafeBufferPointer {
                tags.tag(
                    of: $0, representation: Self.scriptRepresentation, takesGzip: takesGzip,
                    revision: snapshot.revision(for: store))
            }
            let isHeld = held.contains(tag)
            var response = HTTPResponse.empty(isHeld ? .notModified : .ok, id)
            response.fields.append("Vary", "Accept-Encoding")
            tag.withBytes { _ = response.fields.append("ETag", $0) }
            if !isHeld {
                response.fields.append("Content-Type", "text/javascript; charset=utf-8")
                response.body = .bytes(script)
            }
            return response
        }
    }

    /// `GET S/webview-plan`: every page out of one state of the store.
    func planWebView(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let key = try reading.partitionKey(
            try call.query.bytes("partition_key"), at: "/query/partition_key")
        var pages: [(url: [UInt8], request: RequestContext?)] = []
        for url in try call.query.all("url", atMost: Self.maximumPages) {
            guard UTF8Text.isValid(url) else { throw .invalid("/query/url", "is not UTF-8") }
            let request = try reading.pageRequest(url, partitionKey: key, at: "/query/url")
            pages.append((url, request))
        }
        let useCase = PlanWebView(pages: pages)
        let (store, id) = (try call.storeID(), call.id)
        try answer(call, &exchange, namesAddress: useCase.namesAddress) {
            [self] snapshot, hosts throws(ServiceError) in
            let store = snapshot.store(store)
            let pages = try useCase.actual(by: hosts).run(on: store, rules: rules, now: clock())
            let body = WebViewPlanBody(
                pages, revision: snapshot.revision(for: store), rules: rules)
            return .json(body, id)
        }
    }

    private static let maximumPages = 32

    /// Sets the tags of scripts apart from those of other answers.
    private static let scriptRepresentation: UInt8 = 4
}

extension HostReading {
    /// The request that loads a page; nil for a URL that no cookie goes to.
    func pageRequest(
        _ url: [UInt8], partitionKey: [UInt8]?, at pointer: String
    ) throws(Problem) -> RequestContext? {
        guard let url = try readableURL(url, at: pointer) else { return nil }
        return RequestContext(url: url, partitionKey: partitionKey)
    }
}
