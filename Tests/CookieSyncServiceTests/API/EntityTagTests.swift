// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    private let target =
        "/v1/tenants/acme/jars/alice/stores/native/cookie-header?url=https://a.example/"
    private let ingest = "/v1/tenants/acme/jars/alice/stores/native/ingest"

    private func login(_ live: LiveService, _ cookie: String = "sid=1; Max-Age=60") throws {
        try live.send(
            "POST", ingest,
            json: #"{"url":"https://a.example/","headers":[["Set-Cookie","\#(cookie)"]]}"#)
    }

    @Test("save a body that the client holds, whether the jar is in memory or not")
    func notModified() throws {
        for live in [try LiveService(), try LiveService(storage: UncachedStorage())] {
            try login(live)
            let first = try live.send("GET", target)
            let tag = try #require(first["etag"])
            #expect(first["vary"] == "Accept, Accept-Encoding")
            for held in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try live.send("GET", target, nil, ["If-None-Match": held])
                #expect(again.status == 304, "\(held)")
                #expect(again.body.isEmpty)
                #expect(again["etag"] == tag)
                #expect(again["vary"] == "Accept, Accept-Encoding")
            }
            #expect(try live.send("GET", target, nil, ["If-None-Match": "\"x\""]).status == 200)
        }
    }

    @Test("differ by representation, coding, revision and content")
    func differences() throws {
        let live = try LiveService()
        try login(live)
        func tag(_ fields: [String: String] = [:]) throws -> String {
            try #require(try live.send("GET", target, nil, fields)["etag"])
        }
        var tags: Set<String> = []
        tags.insert(try tag())
        tags.insert(try tag(["Accept": "text/plain"]))
        tags.insert(try tag(["Accept-Encoding": "gzip"]))
        #expect(tags.count == 3)
        #expect(tags.contains(try tag()))
        live.clock.advance(seconds: 61)
        tags.insert(try tag())
        try login(live, "other=1; Domain=elsewhere.example")
        #expect(tags.contains(try tag()))
        try live.send(
            "POST", ingest,
            json: #"{"url":"https://b.example/","headers":[["Set-Cookie","x=1"]]}"#)
        tags.insert(try tag())
        #expect(tags.count == 5)
    }

    @Test("are drawn anew for each service")
    func keys() throws {
        let (one, two) = (try LiveService(), try LiveService())
        #expect(try one.send("GET", target)["etag"] != two.send("GET", target)["etag"])
    }

    @Test("the representation follows Accept, and 406 is for who takes neither")
    func acceptance() throws {
        let live = try LiveService()
        let types = [
            ("*/*", "application/json"), ("text/plain", "text/plain"), ("text/*", "text/plain"),
            ("application/json;q=0.5, text/plain", "text/plain"),
            ("text/plain;q=0.5, application/json", "application/json"),
            ("text/plain, application/json", "application/json"),
            ("*/*, application/json;q=0", "text/plain"), ("TEXT/PLAIN; q=0.001", "text/plain"),
            ("text/html, */*;q=0.1", "application/json"),
        ]
        for (accept, expected) in types {
            let answer = try live.send("GET", target, nil, ["Accept": accept])
            #expect(answer["content-type"] == expected, "\(accept)")
        }
        for accept in ["text/html", "application/json;q=0", "image/*, text/html"] {
            let answer = try live.send("GET", target, nil, ["Accept": accept])
            #expect(answer.status == 406, "\(accept)")
            #expect(answer.slug == "not-acceptable")
        }
    }
}
