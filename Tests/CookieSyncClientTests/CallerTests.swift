// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Locks
import Testing

@testable import CookieSyncClient

/// Answers what a test has prepared, and keeps what was asked.
final class ScriptedTransport: Transport {
    private let answers: Locked<[Result<TransportResponse, TransportError>]>
    private let seen = Locked<[TransportRequest]>([])

    init(_ answers: [Result<TransportResponse, TransportError>]) {
        self.answers = Locked(answers)
    }

    var requests: [TransportRequest] { seen.withLock { $0 } }

    func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        seen.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else { throw TransportError("nothing more", isUnsent: false) }
        return try answer.get()
    }
}

@Suite("Calls")
struct CallerTests {
    private static let deleted = TransportResponse(
        status: 200, fields: [], body: Array(#"{"deleted":1,"revision":2}"#.utf8))

    private static func refusal(
        _ status: Int, _ fields: [(name: String, value: String)] = []
    ) -> Result<TransportResponse, TransportError> {
        .success(
            TransportResponse(
                status: status, fields: fields,
                body: Array(
                    #"{"type":"urn:x","title":"No","status":\#(status),"detail":"Because.","instance":"urn:y"}"#
                        .utf8)))
    }

    private func store(_ transport: ScriptedTransport, token: String? = nil) throws -> StoreClient {
        let retry = RetryPolicy(
            attempts: 3, firstPause: .milliseconds(1), longestPause: .seconds(1))
        return CookieSyncClient(
            server: try #require(ServerAddress("http://h/base")),
            token: token.flatMap { ClientToken($0) }, transport: transport, retry: retry
        ).jar("a/b", of: "acme").store("native")
    }

    @Test("carry the path, the query, the token and the conditions")
    func request() async throws {
        let transport = ScriptedTransport([.success(Self.deleted), .success(Self.deleted)])
        let store = try store(transport, token: "secret")
        try await store.deleteCookies(for: "https://a.example/?x=1&y=é")
        let request = try #require(transport.requests.first)
        #expect(request.method == "DELETE")
        #expect(
            request.target
                == "/base/v1/tenants/acme/jars/a%2Fb/stores/native/cookies"
                + "?url=https%3A%2F%2Fa.example%2F%3Fx%3D1%26y%3D%C3%A9")
        #expect(request.fields.map(\.name) == ["Authorization"])
        #expect(request.fields.first?.value == "Bearer secret")
        _ = try? await store.handleResponse(
            from: "https://a.example/", headers: ["set-cookie": "a=1", "X-Other": "1"],
            conditions: WriteConditions(revision: 7, idempotencyKey: "key"))
        let post = try #require(transport.requests.last)
        #expect(
            post.fields.map { "\($0.name): \($0.value)" }.contains("If-Match: \"7\""))
        #expect(post.fields.contains { $0.name == "Idempotency-Key" && $0.value == "key" })
        #expect(
            post.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"url":"https://a.example/","headers":{"Set-Cookie":"a=1"}}"#)
    }

    @Test("are repeated after 503 and 429, and when no answer came")
    func retries() async throws {
        let transport = ScriptedTransport([
            Self.refusal(503, [("Retry-After", "0")]),
            .failure(TransportError("x", isUnsent: false)),
            .success(Self.deleted),
        ])
        let answer = try await store(transport).deleteCookies(for: "https://a.example/")
        #expect(answer.deleted == 1)
        #expect(transport.requests.count == 3)
        let keys = ScriptedTransport([Self.refusal(503), Self.refusal(429), Self.refusal(503)])
        await #expect(throws: ClientError.self) {
            try await store(keys).handleResponse(from: "https://a.example/", headers: [:])
        }
        #expect(keys.requests.count == 3)
        let sent = keys.requests.map { $0.fields.first { $0.name == "Idempotency-Key" }?.value }
        #expect(Set(sent).count == 1)
    }

    @Test("are not repeated where a second run could do more, or where it is no use")
    func noRetries() async throws {
        for (answer, count) in [
            (Self.refusal(503), 1), (.failure(TransportError("x", isUnsent: false)), 1),
            (.failure(TransportError("x", isUnsent: true)), 3),
        ] as [(Result<TransportResponse, TransportError>, Int)] {
            let transport = ScriptedTransport([answer, answer, answer])
            _ = try? await store(transport).handleResponse(
                from: "https://a.example/", headers: [:], conditions: .none)
            #expect(transport.requests.count == count)
        }
        for status in [400, 401, 404, 412, 422, 500] {
            let transport = ScriptedTransport([Self.refusal(status)])
            _ = try? await store(transport).deleteAllCookies()
            #expect(transport.requests.count == 1)
        }
        let long = ScriptedTransport([Self.refusal(503, [("Retry-After", "3600")])])
        _ = try? await store(long).deleteAllCookies()
        #expect(long.requests.count == 1)
    }

    @Test(
        "fail by a code that says what to do",
        arguments: [
            (401, ClientError.Code.denied), (403, .denied), (412, .conflict), (410, .gone),
            (422, .refused), (404, .refused), (500, .undecodable),
        ])
    func codes(status: Int, code: ClientError.Code) async throws {
        let transport = ScriptedTransport([Self.refusal(status)])
        let store = try store(transport)
        do throws(ClientError) {
            try await store.deleteAllCookies()
            Issue.record("no error")
        } catch {
            #expect(error.code == code)
            #expect(error.status == status)
            #expect(error.problem?.title == "No")
            #expect("\(error)" == "No: Because.")
        }
    }

    @Test("a key with a line's end, and an answer of another form, are errors")
    func malformed() async throws {
        let transport = ScriptedTransport([.success(Self.deleted)])
        await #expect(throws: ClientError.self) {
            try await store(transport).handleResponse(
                from: "https://a.example/", headers: [:],
                conditions: WriteConditions(idempotencyKey: "a\r\nX: 1"))
        }
        #expect(transport.requests.isEmpty)
        await #expect(throws: ClientError.self) {
            try await store(transport).cookieHeader(for: "https://a.example/")
        }
    }

    @Test("a token is not shown")
    func secrecy() throws {
        let token = try #require(ClientToken("topsecret"))
        #expect(!"\(token)".contains("topsecret"))
        #expect(ClientToken("a b") == nil)
        #expect(ClientToken("") == nil)
    }

    @Test("pauses double, are spread, and end at the longest")
    func pauses() {
        let policy = RetryPolicy(
            attempts: 9, firstPause: .milliseconds(200), longestPause: .seconds(1))
        #expect(policy.pause(after: 1, retryAfter: nil, chance: 1) == .milliseconds(200))
        #expect(policy.pause(after: 2, retryAfter: nil, chance: 0) == .milliseconds(200))
        #expect(policy.pause(after: 8, retryAfter: nil, chance: 1) == .seconds(1))
        #expect(policy.pause(after: 9, retryAfter: nil, chance: 1) == nil)
        #expect(policy.pause(after: 1, retryAfter: 1, chance: 0) == .seconds(1))
        #expect(policy.pause(after: 1, retryAfter: 2, chance: 0) == nil)
        #expect(RetryPolicy.never.pause(after: 1, retryAfter: nil, chance: 0) == nil)
    }
}
