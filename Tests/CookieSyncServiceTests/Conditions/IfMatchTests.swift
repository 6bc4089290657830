// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("If-Match")
struct IfMatchTests {
    static let jar = "/v1/tenants/acme/jars/alice"
    static let store = "\(jar)/stores/native"
    static let ingest =
        #"{"url":"https://www.example.com/","headers":[["Set-Cookie","a=1; Max-Age=60"]]}"#
    private let live: LiveService

    init() throws {
        live = try LiveService()
        try live.send("POST", "\(Self.store)/ingest", json: Self.ingest)
    }

    /// Every operation that writes to a jar, with a body that it takes.
    static let writes: [(method: String, target: String, body: String?)] = [
        ("POST", "\(store)/ingest", ingest),
        (
            "POST", "\(store)/exchange",
            #"{"url":"https://www.example.com/","status":200,"headers":[]}"#
        ),
        (
            "PUT", "\(store)/cookies",
            #"{"name":"b","value":"1","domain":"www.example.com","host_only":true}"#
        ),
        ("DELETE", "\(store)/cookies?all=true", nil),
        ("POST", "\(store)/rewrite-domain", #"{"from":"203.0.113.7","to":"www.example.com"}"#),
        ("POST", "\(store)/end-session", nil),
        ("POST", "\(store)/promote", #"{"lifetime_seconds":60}"#),
        ("POST", "\(jar)/sync", #"{"from":"native","to":"webview"}"#),
        ("POST", "\(jar)/end-session", nil),
        ("PUT", store, #"{"session_lifetime_seconds":60}"#),
        ("DELETE", store, nil),
        ("DELETE", jar, nil),
    ]

    private func send(
        _ write: (method: String, target: String, body: String?), ifMatch: String
    ) throws -> RawResponse {
        let fields = ["If-Match": ifMatch]
        guard let body = write.body else {
            return try live.send(write.method, write.target, nil, fields)
        }
        return try live.send(write.method, write.target, json: body, fields)
    }

    @Test("every write to a jar takes place at the revision it names and at no other")
    func everyWrite() throws {
        for write in Self.writes {
            let tag = try #require(try live.send("GET", Self.jar)["etag"])
            let before = try live.send("GET", "\(Self.jar)/changes").text
            let refused = try send(write, ifMatch: "\"999\"")
            #expect(refused.status == 412, "\(write.method) \(write.target)")
            #expect(refused.slug == "precondition-failed")
            #expect(refused["etag"] == tag)
            #expect(refused.text.contains(#""revision":\#(tag.dropFirst().dropLast())"#))
            #expect(try live.send("GET", "\(Self.jar)/changes").text == before)
            let done = try send(write, ifMatch: tag)
            #expect(200...299 ~= done.status, "\(write.method) \(write.target) \(done.text)")
            if write.method == "DELETE" {
                try live.send("POST", "\(Self.store)/ingest", json: Self.ingest)
            }
        }
    }

    @Test(
        "takes a list of tags, compares strongly, and * asks only that the jar is there",
        arguments: [
            (#""1""#, 200), (#""9", "1""#, 200), (#""9","x, y" , "1""#, 200), ("*", 200),
            (#"W/"1""#, 412), (#""01x""#, 412), (#""2""#, 412), (#""18446744073709551616""#, 412),
            (#""""#, 412), ("1", 422), (#""1"#, 422), ("", 422), (",", 422), (#"*, "1""#, 422),
            (#""1" "2""#, 422), (#"w/"1""#, 422), (#""1"x"#, 422),
        ])
    func syntax(field: String, status: Int) throws {
        let answer = try live.send(
            "POST", "\(Self.store)/ingest", json: Self.ingest, ["If-Match": field])
        #expect(answer.status == status)
        if status == 422 { #expect(answer.pointers == ["/header/If-Match"]) }
    }

    @Test("a jar that is not there is at revision 0, and is none for *")
    func absent() throws {
        let target = "/v1/tenants/acme/jars/new/stores/native/ingest"
        #expect(
            try live.send("POST", target, json: Self.ingest, ["If-Match": "*"]).status == 412)
        #expect(
            try live.send("POST", target, json: Self.ingest, ["If-Match": "\"0\""]).status == 200)
        #expect(
            try live.send("POST", target, json: Self.ingest, ["If-Match": "\"0\""]).status == 412)
    }

    @Test("holds for a dry run too")
    func dryRun() throws {
        let sync = #"{"from":"native","to":"webview","dry_run":true}"#
        for (tag, status) in [("\"1\"", 200), ("\"2\"", 412)] {
            let answer = try live.send(
                "POST", "\(Self.jar)/sync", json: sync, ["If-Match": tag])
            #expect(answer.status == status)
        }
    }

    @Test("of racing writes at one revision, one takes place")
    func race() async throws {
        let port = live.port
        for _ in 1...10 {
            let tag = try #require(try live.send("GET", Self.jar)["etag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for value in 1...8 {
                    group.addTask {
                        let body =
                            #"{"url":"https://www.example.com/","headers":[["Set-Cookie","r=\#(value)\#(tag.utf8.count)"]]}"#
                        return try RawHTTPClient(port: port).exchange(
                            "POST \(Self.store)/ingest HTTP/1.1\r\nHost: localhost:\(port)\r\n"
                                + "If-Match: \(tag)\r\nContent-Type: application/json\r\n"
                                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // What changes nothing leaves the revision to the others.
            #expect(statuses.contains(200))
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 412 })
            let now = try #require(try live.send("GET", Self.jar)["etag"]).dropFirst().dropLast()
            #expect(Int(now) == (Int(tag.dropFirst().dropLast()) ?? 0) + 1)
        }
    }
}
