// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Jars and stores as a whole")
struct JarTests {
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func login(_ jar: String, _ store: String, _ line: String = "sid=1") throws {
        try live.send(
            "POST", "/v1/tenants/acme/jars/\(jar)/stores/\(store)/ingest",
            json: #"{"url":"https://a.example/","headers":[["Set-Cookie","\#(line)"]]}"#)
    }

    @Test("are described while they exist")
    func description() throws {
        try login("alice", "native")
        try login("alice", "native", "keep=1; Max-Age=60")
        try login("alice", "webview")
        let store = try live.send("GET", "/v1/tenants/acme/jars/alice/stores/native")
        let expected = #"""
            {"name":"native","revision":3,"cookie_count":2,"session_cookie_count":1,"accept_policy":"always",\#
            "matching":"rfc6265","session_lifetime_seconds":null}
            """#
        #expect(store.text == expected)
        live.clock.advance(seconds: 60)
        let jar = try live.send("GET", "/v1/tenants/acme/jars/alice")
        let described = #"""
            {"name":"alice","revision":3,"created_at":"2026-11-30T12:00:00Z","cookie_count":2,\#
            "stores":[{"name":"native","cookie_count":1},{"name":"webview","cookie_count":1}]}
            """#
        #expect(jar.text == described)
        #expect(jar["etag"] == "\"3\"")
        for (tags, status) in [
            ("\"3\"", 304), ("W/\"3\", \"9\"", 304), ("*", 304), ("\"33\"", 200),
        ] {
            let again = try live.send(
                "GET", "/v1/tenants/acme/jars/alice", nil, ["If-None-Match": tags])
            #expect(again.status == status && again["etag"] == "\"3\"")
        }
    }

    @Test("deleting a store leaves the others, deleting the jar logs out everywhere")
    func deletion() throws {
        try login("alice", "native")
        try login("alice", "webview")
        let gone = try live.send("DELETE", "/v1/tenants/acme/jars/alice/stores/native")
        #expect(gone.status == 204)
        #expect(gone.body.isEmpty)
        #expect(try live.send("GET", "/v1/tenants/acme/jars/alice/stores/native").status == 404)
        #expect(try live.send("GET", "/v1/tenants/acme/jars/alice/stores/webview").status == 200)
        #expect(try live.send("DELETE", "/v1/tenants/acme/jars/alice").status == 204)
        #expect(try live.send("GET", "/v1/tenants/acme/jars/alice").status == 404)
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars").text == #"{"jars":[],"next_cursor":null}"#
        )
        let header = try live.send(
            "GET", "/v1/tenants/acme/jars/alice/stores/webview/cookie-header?url=https://a.example/"
        )
        #expect(header.text.hasPrefix(#"{"cookie":"","count":0,"#))
        for target in ["", "/stores/native", "/stores/never"] {
            #expect(try live.send("DELETE", "/v1/tenants/acme/jars/alice\(target)").status == 204)
        }
    }

    @Test("are listed by name, page by page, and only those of the tenant")
    func listing() throws {
        for jar in ["b", "a", "c@x.example", "Z"] { try login(jar, "native") }
        let first = try live.send("GET", "/v1/tenants/acme/jars?limit=3")
        #expect(
            first.text.hasPrefix(
                #"{"jars":[{"name":"Z","revision":1},{"name":"a","revision":1},{"name":"b","revision":1}],"#
            ))
        let cursor = try #require(try first.text("next_cursor"))
        let second = try live.send("GET", "/v1/tenants/acme/jars?limit=3&cursor=\(cursor)")
        #expect(
            second.text == #"{"jars":[{"name":"c@x.example","revision":1}],"next_cursor":null}"#)
        #expect(
            try live.send("GET", "/v1/tenants/other/jars").text
                == #"{"jars":[],"next_cursor":null}"#)
    }

    @Test(
        "names that break the rule are refused, and the rule is told",
        arguments: [
            ("/v1/tenants/Acme/jars", "/path/tenant"), ("/v1/tenants/%2e%2e/jars", "/path/tenant"),
            ("/v1/tenants/acme/jars/a%2Fb", "/path/jar"), ("/v1/tenants/acme/jars/..", "/path/jar"),
            ("/v1/tenants/acme/jars/caf%C3%A9", "/path/jar"),
            ("/v1/tenants/acme/jars/a/stores/%00", "/path/store"),
            ("/v1/tenants/acme/jars/a/stores/", "/path/store"),
            (
                "/v1/tenants/acme/jars/a/stores/x%20y/cookie-header?url=https://a.example/",
                "/path/store"
            ),
        ])
    func names(_ target: String, pointer: String) throws {
        let answer = try live.send("GET", target)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
        #expect(answer.text.contains("octets of"))
    }

    @Test("names may be percent-encoded")
    func encodedNames() throws {
        try login("a@x.example", "native")
        let answer = try live.send("GET", "/v1/tenants/%61cme/jars/a%40x.example/stores/nativ%65")
        #expect(answer.status == 200)
        let header = try live.send(
            "GET",
            "/v1/tenants/acme/jars/a%40x.example/stores/native/cookie-header?url=https://a.example/"
        )
        #expect(header.text.hasPrefix(#"{"cookie":"sid=1""#))
    }
}
