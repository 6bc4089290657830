// SPDX-License-Identifier: Apache-2.0
import HTTPServer

/// Behaves toward the battery as the service does: `/healthz` is there, one path takes JSON and refuses what it does not
/// know, everything else is not found.
struct ServiceLikeHandler: HTTPHandler {
    static let postPath = "/v1/tenants/battery/jars/j/stores/s/ingest"

    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        if head.path.elementsEqual("/healthz".utf8) {
            return head.method == .get || head.method == .head || head.method == .options
                ? .collectBody(limit: 1 << 20) : .refuse(Self.notAllowed("GET, HEAD"))
        }
        if head.path.elementsEqual(Self.postPath.utf8) {
            return head.method == .post
                ? .collectBody(limit: 1 << 20) : .refuse(Self.notAllowed("POST"))
        }
        if head.method == .options, head.path.elementsEqual("*".utf8) {
            return .collectBody(limit: 0)
        }
        return .refuse(HTTPResponse(status: .notFound, body: Array("not found\n".utf8)))
    }

    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        if request.method == .options { return exchange.send(.noContent) }
        if request.path.elementsEqual("/healthz".utf8) {
            exchange.addField("Content-Type", "application/json")
            exchange.body.append(contentsOf: #"{"status":"ok"}"#.utf8)
            return exchange.send(.ok)
        }
        let isJSON = request.field("Content-Type")?.elementsEqual("application/json".utf8) == true
        guard isJSON else { return exchange.send(.unsupportedMediaType) }
        let text = String(decoding: request.body, as: UTF8.self).filter { !$0.isWhitespace }
        exchange.send(text == #"{"a":1}"# ? .unprocessableContent : .badRequest)
    }

    private static func notAllowed(_ methods: String) -> HTTPResponse {
        HTTPResponse(status: .methodNotAllowed, fields: HTTPFields(["Allow": methods]))
    }
}
