// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET /healthz`.
    func getHealth(_ call: Call, _ exchange: inout HTTPExchange) {
        call.id.withBytes { exchange.addField("X-Request-Id", $0) }
        exchange.addField("Content-Type", "application/json")
        exchange.body.append(contentsOf: "{\"status\":\"ok\"}".utf8)
        exchange.send(.ok)
    }

    /// `GET /readyz`.
    ///
    /// Names no tenant: whoever may probe need not know them.
    func getReadiness(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        guard !isDraining else {
            throw Problem(.unavailable, "The service is draining; use another one.")
        }
        let faults = storage.health()
        if let fault = faults.first(where: { $0.tenant == nil }) {
            throw Problem(.unavailable, "The storage takes no writes: \(fault.code).")
        }
        guard !needsToken || catalogue.currentState != nil else {
            throw Problem(.unavailable, "Tokens cannot be checked now.")
        }
        let codes = Set(faults.map(\.code)).sorted()
        let body = ReadinessBody(
            faults: codes.map { code in
                ReadinessBody.Fault(code: code, tenants: faults.count { $0.code == code })
            })
        exchange.send(.json(body, call.id))
    }

    /// `GET /openapi.yaml`.
    func getOpenAPI(_ call: Call, _ exchange: inout HTTPExchange) {
        let document = OpenAPIDocument.text.withUTF8Buffer { $0 }
        let tag = tags.tag(
            of: document, representation: 3, takesGzip: call.request.acceptsGzip, revision: 0)
        guard !call.request.holds(tag), call.request.acceptsGzip else {
            return exchange.send(plainDocument(call, tag))
        }
        call.id.withBytes { exchange.addField("X-Request-Id", $0) }
        tag.withBytes { exchange.addField("ETag", $0) }
        exchange.addField("Vary", "Accept-Encoding")
        exchange.addField("Content-Type", "application/yaml")
        exchange.body.append(contentsOf: document)
        exchange.send(.ok)
    }

    /// What is not compressed need not be in one piece.
    private func plainDocument(_ call: Call, _ tag: EntityTag) -> HTTPResponse {
        let isHeld = call.request.holds(tag)
        var response = HTTPResponse(status: isHeld ? .notModified : .ok)
        call.id.withBytes { _ = response.fields.append("X-Request-Id", $0) }
        tag.withBytes { _ = response.fields.append("ETag", $0) }
        response.fields.append("Vary", "Accept-Encoding")
        guard !isHeld else { return response }
        response.fields.append("Content-Type", "application/yaml")
        response.body = .stream(DocumentBody(OpenAPIDocument.text))
        return response
    }
}
