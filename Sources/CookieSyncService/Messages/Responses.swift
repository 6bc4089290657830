// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import HTTPServer

extension HTTPResponse {
    /// An answer without content.
    static func empty(_ status: HTTPStatus, _ id: RequestID) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.name(id)
        return response
    }

    /// An answer in JSON.
    static func json(
        _ body: some AnswerBody, _ id: RequestID, status: HTTPStatus = .ok
    ) -> HTTPResponse {
        var writer = JSONWriter(reserving: 1024)
        body.encode(to: &writer)
        return json(writer.bytes, id, status: status)
    }

    /// An answer in JSON that was written before.
    static func json(
        _ document: [UInt8], _ id: RequestID, status: HTTPStatus = .ok
    ) -> HTTPResponse {
        var response = HTTPResponse(status: status, body: document)
        response.fields.append("Content-Type", "application/json")
        response.name(id)
        return response
    }

    /// The answer to a request that failed: the one place where a problem becomes a response (RFC 9457).
    static func problem(_ problem: Problem, _ id: RequestID) -> HTTPResponse {
        let kind = problem.kind
        var writer = JSONWriter()
        ProblemBody(
            type: kind.type, title: kind.title, status: kind.status, detail: problem.detail,
            instance: id.instance, offset: problem.offset, revision: problem.revision,
            errors: problem.errors
        ).encode(to: &writer)
        var response = HTTPResponse(status: HTTPStatus(code: kind.status), body: writer.bytes)
        response.fields.append("Content-Type", "application/problem+json")
        response.name(id)
        if kind == .unauthenticated { response.fields.append("WWW-Authenticate", "Bearer") }
        if let methods = problem.allowedMethods {
            response.fields.append("Allow", Array(methods.utf8))
        }
        if let revision = problem.revision {
            response.fields.append("ETag", Array("\"\(revision)\"".utf8))
        }
        if let seconds = problem.retryAfter ?? kind.retryAfter {
            response.fields.append("Retry-After", Array(String(seconds).utf8))
        }
        return response
    }

    private mutating func name(_ id: RequestID) {
        id.withBytes { _ = fields.append("X-Request-Id", $0) }
    }
}
