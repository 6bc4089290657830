// SPDX-License-Identifier: Apache-2.0
import HTTPServer

/// Answers with method, target and content of the request.
struct EchoHandler: HTTPHandler {
    var limit = 1 << 20

    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        .collectBody(limit: limit)
    }

    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        exchange.body.append(contentsOf: request.methodName)
        exchange.body.append(UInt8(ascii: " "))
        exchange.body.append(contentsOf: request.path)
        if !request.body.isEmpty {
            exchange.body.append(UInt8(ascii: " "))
            exchange.body.append(contentsOf: request.body)
        }
        exchange.send(.ok)
    }
}
