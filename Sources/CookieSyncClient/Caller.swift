// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire

/// A call of the API before it becomes a request.
struct APICall: Sendable {
    var method: String
    /// The path below the jar, each segment still as it is.
    var path: [String]
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body: (type: String, bytes: [UInt8])?
    var conditions = WriteConditions.none
    var timeoutSeconds: Int?
    var progress: (@Sendable (Int) -> Void)?

    /// Whether a second run cannot do more than the first.
    var isRepeatable: Bool { method != "POST" || conditions.idempotencyKey != nil }
}

/// Makes calls: turns them into requests, repeats them where that is safe, and answers what is a success.
struct Caller: Sendable {
    let server: ServerAddress
    let token: ClientToken?
    let transport: any Transport
    let retry: RetryPolicy
    let timeoutSeconds: Int

    /// The answer of a call, if it is a success.
    func answer(_ call: APICall) async throws(ClientError) -> TransportResponse {
        let request = request(call)
        for field in request.fields {
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw ClientError(.refused, "\(field.name) must have no control characters")
            }
        }
        var attempt = 1
        while true {
            let failure: ClientError
            var retryAfter: Int?
            let mayRepeat: Bool
            do throws(TransportError) {
                let response = try await transport.send(request)
                if 200..<300 ~= response.status { return response }
                failure = ClientError(response)
                retryAfter = response.field("retry-after").flatMap { Int($0) }
                mayRepeat = failure.code == .unavailable && call.isRepeatable
            } catch {
                failure = ClientError(error)
                mayRepeat = error.isUnsent || call.isRepeatable
            }
            let chance = Double.random(in: 0...1)
            guard mayRepeat, !Task.isCancelled,
                let pause = retry.pause(after: attempt, retryAfter: retryAfter, chance: chance)
            else { throw failure }
            do { try await Task.sleep(for: pause) } catch { throw failure }
            attempt += 1
        }
    }

    /// The answer of a call, read as a body.
    func body<Body: ReadableBody>(
        _ type: Body.Type, of call: APICall
    ) async throws(ClientError) -> Body {
        let response = try await answer(call)
        do throws(BodyError) {
            return try Body(parsing: response.body)
        } catch {
            throw ClientError(
                .undecodable, status: response.status, "the answer is not what was expected")
        }
    }

    private func request(_ call: APICall) -> TransportRequest {
        var target = server.basePath
        for segment in call.path {
            target += "/"
            URLText.append(segment, to: &target)
        }
        for (index, parameter) in call.query.enumerated() {
            target += index == 0 ? "?" : "&"
            target += "\(parameter.name)="
            URLText.append(parameter.value, to: &target)
        }
        var fields = call.fields
        if let token { fields.append(("Authorization", "Bearer \(token.text)")) }
        if let body = call.body { fields.append(("Content-Type", body.type)) }
        if let revision = call.conditions.revision {
            fields.append(("If-Match", "\"\(revision)\""))
        }
        if let key = call.conditions.idempotencyKey { fields.append(("Idempotency-Key", key)) }
        return TransportRequest(
            server: server, method: call.method, target: target, fields: fields,
            body: call.body?.bytes, timeoutSeconds: call.timeoutSeconds ?? timeoutSeconds,
            progress: call.progress)
    }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum URLText {
    /// Appends a text of which only unreserved characters stay as they are.
    static func append(_ text: String, to output: inout String) {
        let digits = Array("0123456789ABCDEF")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                output.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                output.append("%")
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 0x0F)])
            }
        }
    }
}
