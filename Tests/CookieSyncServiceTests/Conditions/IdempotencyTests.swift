// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Idempotency-Key")
struct IdempotencyTests {
    private static let jar = "/v1/tenants/acme/jars/alice"
    private static let store = "\(jar)/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func ingest(
        _ value: String, key: String?, tenant: String = "acme", _ fields: [String: String] = [:]
    ) throws -> RawResponse {
        var fields = fields
        fields["Idempotency-Key"] = key
        return try live.send(
            "POST", "/v1/tenants/\(tenant)/jars/alice/stores/native/ingest",
            json:
                #"{"url":"https://www.example.com/","headers":[["Set-Cookie","a=\#(value)"]]}"#,
            fields)
    }

    @Test("a repeated call gets the same answer and changes nothing, whatever came between")
    func replay() throws {
        let first = try ingest("1", key: "k1")
        #expect(first.text.contains(#""outcome":"stored""#))
        _ = try ingest("2", key: nil)
        let again = try ingest("1", key: "k1")
        #expect(again.status == 200)
        #expect(again.body == first.body)
        #expect(again["content-type"] == "application/json")
        #expect(try live.send("GET", "\(Self.store)/cookies").text.contains(#""value":"2""#))
        #expect(try ingest("3", key: "k2").text.contains(#""outcome":"replaced""#))
    }

    @Test("422 for another body, path or query under the same key, and nothing changes")
    func reuse() throws {
        _ = try ingest("1", key: "k")
        let other = try ingest("2", key: "k")
        #expect(other.status == 422)
        #expect(other.slug == "idempotency-key-reused")
        let fields = ["Idempotency-Key": "k"]
        for target in ["\(Self.store)/end-session", "\(Self.jar)/end-session"] {
            #expect(try live.send("POST", target, nil, fields).status == 422)
        }
        #expect(try live.send("GET", Self.jar)["etag"] == "\"1\"")
    }

    @Test("is forgotten after its time")
    func expiry() throws {
        let first = try ingest("1", key: "k")
        live.clock.advance(seconds: 86_399)
        #expect(try ingest("1", key: "k").body == first.body)
        live.clock.advance(seconds: 1)
        #expect(try ingest("2", key: "k").text.contains(#""outcome":"replaced""#))
    }

    @Test("is the tenant's own")
    func tenants() throws {
        _ = try ingest("1", key: "k")
        #expect(try ingest("2", key: "k", tenant: "other").status == 200)
    }

    @Test("keeps what changed nothing, and no refusal")
    func unkept() throws {
        _ = try ingest("1", key: nil)
        let same = try ingest("1", key: "same")
        #expect(same.text.contains(#""outcome":"unchanged""#))
        _ = try ingest("2", key: nil)
        #expect(try ingest("1", key: "same").body == same.body)
        let mirror = #"{"from":"none","to":"webview","mode":"mirror"}"#
        let fields = ["Idempotency-Key": "m"]
        for _ in 1...2 {
            #expect(
                try live.send("POST", "\(Self.jar)/sync", json: mirror, fields).status == 404)
        }
        let sync = #"{"from":"native","to":"webview"}"#
        #expect(try live.send("POST", "\(Self.jar)/sync", json: sync, fields).status == 200)
        // A body that cannot be read never comes to a write.
        #expect(
            try live.send("POST", "\(Self.jar)/sync", json: "{", ["Idempotency-Key": "x"]).status
                == 400)
        #expect(
            try live.send("POST", "\(Self.jar)/sync", json: sync, ["Idempotency-Key": "x"]).status
                == 200)
    }

    @Test("goes with If-Match: what was refused may be tried again, what was done is answered")
    func withIfMatch() throws {
        _ = try ingest("1", key: nil)
        #expect(try ingest("2", key: "k", ["If-Match": "\"7\""]).status == 412)
        let done = try ingest("2", key: "k", ["If-Match": "\"1\""])
        #expect(done.status == 200)
        #expect(try ingest("2", key: "k", ["If-Match": "\"1\""]).body == done.body)
    }

    @Test("takes every POST that writes to a jar")
    func everyPost() throws {
        for write in IfMatchTests.writes where write.method == "POST" {
            let fields = ["Idempotency-Key": write.target]
            func call() throws -> RawResponse {
                guard let body = write.body else {
                    return try live.send(write.method, write.target, nil, fields)
                }
                return try live.send(write.method, write.target, json: body, fields)
            }
            let first = try call()
            #expect(first.status == 200, "\(write.target)")
            try live.send("POST", "\(Self.store)/ingest", json: IfMatchTests.ingest)
            #expect(try call().body == first.body, "\(write.target)")
        }
    }

    @Test("tells files to import apart, and answers a repeated one with all of its results")
    func importing() throws {
        func file(_ count: Int) -> String {
            (0..<count).map { "www.example.com\tFALSE\t/\tFALSE\t0\tc\($0 % 50)\tv" }
                .joined(separator: "\n") + "\n"
        }
        func send(_ count: Int, _ fields: [String: String] = [:]) throws -> RawResponse {
            var fields = fields
            fields["Idempotency-Key"] = "file"
            return try live.send(
                "POST", "\(Self.store)/import?format=netscape", Array(file(count).utf8), type: nil,
                fields)
        }
        let first = try send(2_500)
        #expect(first.status == 200)
        #expect(first["content-length"] != nil)
        let tag = try live.send("GET", Self.jar)["etag"]
        #expect(try send(2_500, ["Accept": "application/x-ndjson"]).body == first.body)
        #expect(try send(2_499).slug == "idempotency-key-reused")
        #expect(try live.send("GET", Self.jar)["etag"] == tag)
        let refused = try live.send(
            "POST", "\(Self.store)/import?format=netscape", Array(file(3).utf8), type: nil,
            ["If-Match": "\"9999\""])
        #expect(refused.status == 412)
    }

    @Test("calls that come together take effect once, and all get the answer")
    func together() async throws {
        let port = live.port
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 1...16 {
                group.addTask {
                    let body =
                        #"{"url":"https://www.example.com/","headers":[["Set-Cookie","t=1"]]}"#
                    return try RawHTTPClient(port: port).exchange(
                        "POST \(Self.store)/ingest HTTP/1.1\r\nHost: localhost:\(port)\r\n"
                            + "Idempotency-Key: one\r\nContent-Type: application/json\r\n"
                            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    ).body
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(bodies.count == 1)
        #expect(try live.send("GET", Self.jar)["etag"] == "\"1\"")
    }

    @Test("503 for a storage that fails, which keeps nothing")
    func failure() throws {
        let live = try LiveService(storage: FailingStorage(.full))
        let answer = try live.send(
            "POST", "\(Self.store)/end-session", nil, ["Idempotency-Key": "k"])
        #expect(answer.status == 507)
    }

    @Test(
        "422 for a key that is none",
        arguments: ["", "a b", "caf\u{E9}", String(repeating: "k", count: 256)])
    func syntax(key: String) throws {
        let answer = try ingest("1", key: key)
        #expect(answer.status == 422)
        #expect(answer.pointers == ["/header/Idempotency-Key"])
        #expect(try ingest("1", key: String(repeating: "k", count: 255)).status == 200)
    }
}
