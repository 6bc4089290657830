// SPDX-License-Identifier: Apache-2.0

import Foundation
import JarStorage
import TestSupport
import Testing

@Suite("Sync rules")
struct SyncRulesTests {
    private static let rules = "/v1/tenants/acme/sync-rules"
    private static let jar = "/v1/tenants/acme/jars/alice"
    private static let url = "https://www.example.com/"
    private let live: LiveService

    init() throws { live = try LiveService() }

    private func rule(_ name: String, _ json: String) throws -> RawResponse {
        try live.send("PUT", "\(Self.rules)/\(name)", json: json)
    }

    private func ingest(_ store: String, _ lines: String..., in jar: String = jar) throws {
        let headers = lines.map { #"["Set-Cookie","\#($0)"]"# }.joined(separator: ",")
        try live.send(
            "POST", "\(jar)/stores/\(store)/ingest",
            json: #"{"url":"\#(Self.url)","headers":[\#(headers)]}"#)
    }

    private func header(_ store: String, in jar: String = jar) throws -> String {
        try live.send(
            "GET", "\(jar)/stores/\(store)/cookie-header?url=\(Self.url)", nil,
            ["Accept": "text/plain"]
        ).text
    }

    private func revision() throws -> String {
        try #require(try live.send("GET", Self.jar)["etag"])
    }

    @Test("are set, told, listed and ended")
    func management() throws {
        let made = try rule("web", #"{"from":"native","to":"webview"}"#)
        #expect(made.status == 201)
        let text =
            #"{"name":"web","from":"native","to":"webview","mode":"merge","#
            + #""filter":{"url":null,"domains":[],"names":[]},"#
            + #""apply_to_existing":false,"progress":null}"#
        #expect(made.text == text)
        #expect(try live.send("GET", "\(Self.rules)/web").text == text)
        #expect(try rule("web", text).status == 200)
        #expect(
            try rule(
                "all",
                #"{"from":"w*","to":"x","mode":"two-way","filter":{"url":"https://E.example/a","domains":[".Example.com"],"names":["n"]}}"#
            ).text.contains(
                #""filter":{"url":"https://e.example:443/a","domains":["example.com"],"names":["n"]}"#
            ))
        let list = try live.send("GET", Self.rules).text
        #expect(list.hasPrefix(#"{"sync_rules":[{"name":"all","#))
        #expect(list.contains(#"{"name":"web","#))
        for _ in 0..<2 {
            #expect(try live.send("DELETE", "\(Self.rules)/all").status == 204)
        }
        #expect(try live.send("GET", "\(Self.rules)/all").slug == "not-found")
    }

    @Test(
        "bad ones are refused, and say where",
        arguments: [
            (#"{"to":"b"}"#, "/from"), (#"{"from":"a"}"#, "/to"),
            (#"{"from":"a","to":"a"}"#, "/to"), (#"{"from":"","to":"b"}"#, "/from"),
            (#"{"from":"**","to":"b"}"#, "/from"), (#"{"from":"a*b","to":"b"}"#, "/from"),
            (#"{"from":"a b","to":"b"}"#, "/from"), (#"{"from":"..","to":"b"}"#, "/from"),
            (#"{"from":"a","to":"b*"}"#, "/to"), (#"{"from":"a","to":"b","mode":"x"}"#, "/mode"),
            (#"{"from":"a","to":"b","dry_run":true}"#, "/dry_run"),
            (#"{"from":"a","to":"b","filter":{"x":1}}"#, "/filter/x"),
            (#"{"from":"a","to":"b","filter":{"url":"nowhere"}}"#, "/filter/url"),
            (#"{"from":"a","to":"b","apply_to_existing":1}"#, "/apply_to_existing"),
        ])
    func refusals(body: String, pointer: String) throws {
        let answer = try rule("web", body)
        #expect(answer.status == 422)
        #expect(answer.text.contains(#""pointer":"\#(pointer)""#), "\(answer.text)")
        #expect(try live.send("GET", Self.rules).text == #"{"sync_rules":[]}"#)
    }

    @Test("32 are the most of a tenant, and a bad name is refused")
    func bounds() throws {
        for index in 0..<32 {
            #expect(try rule("r\(index)", #"{"from":"a","to":"b"}"#).status == 201)
        }
        #expect(try rule("more", #"{"from":"a","to":"b"}"#).slug == "quota-exceeded")
        #expect(try rule("r7", #"{"from":"a","to":"c"}"#).status == 200)
        #expect(try rule("a%2Fb", #"{"from":"a","to":"b"}"#).status == 422)
    }

    @Test("what a write sets is in the other store before it is answered, attributes and all")
    func firstRequest() throws {
        _ = try rule("web", #"{"from":"native","to":"webview"}"#)
        try ingest("native", "sid=1; Secure; HttpOnly; SameSite=Lax", "p=2; Max-Age=600")
        #expect(try header("webview") == "sid=1; p=2")
        let native = try live.send("GET", "\(Self.jar)/stores/native/cookies").text
        #expect(try live.send("GET", "\(Self.jar)/stores/webview/cookies").text == native)
        let feed = try live.send("GET", "\(Self.jar)/changes?store=webview").text
        #expect(feed.split(separator: #""cause":"synced""#).count == 3, "\(feed)")
    }

    @Test("every write is followed: put, delete, import, rewrite, promote, sync, end of a store")
    func writes() throws {
        _ = try rule("web", #"{"from":"native","to":"webview"}"#)
        let native = "\(Self.jar)/stores/native"
        _ = try live.send(
            "PUT", "\(native)/cookies",
            json:
                #"[{"name":"a","value":"1","domain":"www.example.com"},{"name":"b","value":"2","domain":"www.example.com"}]"#
        )
        #expect(try header("webview") == "a=1; b=2")
        _ = try live.send("DELETE", "\(native)/cookies?name=a")
        #expect(try header("webview") == "b=2")
        try ingest("native", "b=; Max-Age=0")
        #expect(try header("webview") == "")
        let line = "www.example.com\tFALSE\t/\tFALSE\t0\ti\t1\n"
        _ = try live.send(
            "POST", "\(native)/import?format=netscape", Array(line.utf8), type: "text/plain")
        #expect(try header("webview") == "i=1")
        _ = try live.send(
            "PUT", "\(native)/cookies", json: #"{"name":"ip","value":"1","domain":"10.0.0.1"}"#)
        _ = try live.send(
            "POST", "\(native)/rewrite-domain",
            json: #"{"from":"10.0.0.1","to":"www.example.com"}"#)
        #expect(try header("webview") == "i=1; ip=1")
        #expect(
            try !live.send("GET", "\(Self.jar)/stores/webview/cookies").text.contains("10.0.0.1"))
        _ = try live.send("POST", "\(native)/promote", json: #"{"lifetime_seconds":60}"#)
        #expect(
            try live.send("GET", "\(Self.jar)/stores/webview").text.contains(
                #""session_cookie_count":0"#))
        _ = try live.send(
            "PUT", "\(Self.jar)/stores/worker/cookies",
            json: #"{"name":"w","value":"1","domain":"www.example.com"}"#)
        #expect(try header("webview") == "i=1; ip=1")
        _ = try live.send(
            "POST", "\(Self.jar)/sync", json: #"{"from":"worker","to":"native"}"#)
        #expect(try header("webview") == "i=1; ip=1; w=1")
        _ = try live.send("DELETE", native)
        #expect(try header("webview") == "")
    }

    @Test("the end of a session, expiry and a dry run stay where they happen")
    func staying() throws {
        for mode in ["merge", "mirror", "two-way"] {
            let jar = "/v1/tenants/acme/jars/\(mode)"
            _ = try rule("web", #"{"from":"native","to":"webview","mode":"\#(mode)"}"#)
            try ingest("native", "s=1", "x=1; Max-Age=60", in: jar)
            _ = try live.send("POST", "\(jar)/stores/native/end-session")
            #expect(try header("native", in: jar) == "x=1")
            #expect(try header("webview", in: jar) == "s=1; x=1")
            try ingest("native", "y=1", in: jar)
            #expect(try header("native", in: jar) == "x=1; y=1")
            #expect(try header("webview", in: jar) == "s=1; x=1; y=1")
            _ = try live.send(
                "POST", "\(jar)/stores/native/ingest",
                json:
                    #"{"url":"\#(Self.url)","headers":[["Set-Cookie","d=1"]],"dry_run":true}"#)
            #expect(try header("webview", in: jar) == "s=1; x=1; y=1")
        }
    }

    @Test("a refused write does nothing anywhere")
    func atomicity() throws {
        _ = try rule("web", #"{"from":"native","to":"webview"}"#)
        try ingest("native", "a=1")
        let before = try revision()
        let refused = try live.send(
            "PUT", "\(Self.jar)/stores/native/cookies",
            json:
                #"[{"name":"b","value":"2","domain":"www.example.com"},{"name":"c","value":"3","domain":".co.uk"}]"#
        )
        #expect(refused.status == 422)
        #expect(try revision() == before)
        #expect(try header("webview") == "a=1")
    }

    @Test("filters narrow what a rule brings")
    func filters() throws {
        _ = try rule("web", #"{"from":"native","to":"webview","filter":{"names":["sid"]}}"#)
        try ingest("native", "sid=1", "other=2")
        #expect(try header("webview") == "sid=1")
        try ingest("native", "sid=; Max-Age=0", "other=; Max-Age=0")
        #expect(try header("webview") == "")
    }

    @Test("a pattern brings many stores into one, and never one into itself")
    func patterns() throws {
        _ = try rule("web", #"{"from":"*","to":"shared"}"#)
        try ingest("a", "x=1")
        try ingest("b", "y=2")
        try ingest("shared", "z=3")
        #expect(try header("shared") == "x=1; y=2; z=3")
        #expect(try header("a") == "x=1")
        _ = try rule("web", #"{"from":"worker-*","to":"shared","mode":"two-way"}"#)
        try ingest("worker-1", "w=1")
        try ingest("worker-2", "v=2")
        #expect(try header("worker-1").contains("v=2"))
        try ingest("shared", "u=3")
        #expect(try header("worker-1").contains("u=3") && header("worker-2").contains("u=3"))
        #expect(try header("a") == "x=1")
        try ingest("worker-1", "v=; Max-Age=0")
        #expect(try !header("worker-2").contains("v=2"))
    }

    @Test("circles come to rest, and saying the same again changes nothing")
    func circles() throws {
        for (name, from, to) in [("1", "a", "b"), ("2", "b", "c"), ("3", "c", "a")] {
            _ = try rule(name, #"{"from":"\#(from)","to":"\#(to)"}"#)
        }
        _ = try rule("4", #"{"from":"a","to":"b","mode":"mirror"}"#)
        _ = try rule("5", #"{"from":"c","to":"a","mode":"two-way"}"#)
        try ingest("b", "x=1")
        for store in ["a", "b", "c"] { #expect(try header(store) == "x=1") }
        let before = try revision()
        try ingest("b", "x=1")
        _ = try live.send("POST", "\(Self.jar)/sync", json: #"{"from":"a","to":"c"}"#)
        #expect(try revision() == before)
        try ingest("c", "x=; Max-Age=0")
        for store in ["a", "b", "c"] { #expect(try header(store) == "") }
        let after = try revision()
        try ingest("a", "x=; Max-Age=0")
        #expect(try revision() == after)
    }

    @Test("a deletion passes through a store that never had the cookie")
    func throughTheMiddle() throws {
        try ingest("a", "sid=1")
        _ = try live.send("POST", "\(Self.jar)/sync", json: #"{"from":"a","to":"c"}"#)
        try ingest("b", "other=1")
        _ = try rule("1", #"{"from":"a","to":"b"}"#)
        _ = try rule("2", #"{"from":"b","to":"c"}"#)
        try ingest("a", "sid=; Max-Age=0")
        #expect(try header("c") == "other=1" || header("c") == "")
        #expect(try !header("c").contains("sid"))
        let feed = try live.send("GET", "\(Self.jar)/changes?store=b").text
        #expect(!feed.contains(#""name":"sid""#), "no event in the store between")
    }

    @Test("a target that nobody has written to gets all at once; one that has, what is touched")
    func laterRule() throws {
        try ingest("native", "old=1", "older=2")
        _ = try rule("web", #"{"from":"native","to":"webview"}"#)
        #expect(try header("webview") == "")
        try ingest("native", "new=3")
        #expect(try header("webview") == "old=1; older=2; new=3")
    }

    @Test("applied to jars that are there, in the background, with its progress")
    func existingJars() throws {
        for index in 0..<120 {
            try ingest("native", "sid=\(index)", in: "/v1/tenants/acme/jars/j\(index)")
        }
        let made = try rule(
            "web", #"{"from":"native","to":"webview","apply_to_existing":true}"#)
        #expect(made.text.contains(#""state":"running""#), "\(made.text)")
        var progress = ""
        for _ in 0..<2000 where !progress.contains(#""state":"done""#) {
            usleep(5000)
            progress = try live.send("GET", "\(Self.rules)/web").text
        }
        #expect(progress.contains(#""jars_looked_at":120,"jars_changed":120"#), "\(progress)")
        #expect(!progress.contains(#""finished_at":null"#))
        for index in 0..<120 {
            #expect(try header("webview", in: "/v1/tenants/acme/jars/j\(index)") == "sid=\(index)")
        }
    }

    @Test("another tenant's rules do nothing")
    func isolation() throws {
        _ = try live.send(
            "PUT", "/v1/tenants/other/sync-rules/web", json: #"{"from":"native","to":"webview"}"#)
        try ingest("native", "a=1")
        #expect(try header("webview") == "")
    }
}
