// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("The change feed")
struct FeedTests {
    private let jar = "/v1/tenants/acme/jars/alice"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func ingest(
        _ line: String, store: String = "native", url: String = "https://www.example.com/"
    ) throws {
        try live.send(
            "POST", "\(jar)/stores/\(store)/ingest",
            json: #"{"url":"\#(url)","headers":[["Set-Cookie","\#(line)"]]}"#)
    }

    private func feed(_ query: String = "") throws -> String {
        let answer = try live.send("GET", "\(jar)/changes\(query)")
        #expect(answer.status == 200)
        return answer.text
    }

    /// Each event as `revision kind cause`, then the cursor.
    private func events(_ query: String = "") throws -> [String] {
        let text = try feed(query)
        let events = text.matches(of: /"revision":(\d+),"at":[^}]*?"kind":"(\w+)","cause":"(\w+)"/)
        let end = try #require(text.firstMatch(of: /"revision":(\d+),"more":(\w+)\}$/))
        return events.map { "\($0.1) \($0.2) \($0.3)" } + ["\(end.1) \(end.2)"]
    }

    @Test("a jar that does not exist has none")
    func absent() throws {
        #expect(try feed() == #"{"changes":[],"revision":0,"more":false}"#)
        #expect(try live.send("GET", "\(jar)/changes?since=1").status == 410)
    }

    @Test("tells what happened, once, with the cookie, and a removal without its value")
    func kinds() throws {
        try ingest("a=1")
        try ingest("a=1")
        try ingest("a=secret")
        try ingest("ghost=; Max-Age=0")
        try ingest("a=; Max-Age=0")
        #expect(
            try events() == [
                "1 added inserted", "2 changed replaced", "3 removed deleted", "3 false",
            ])
        #expect(
            try feed("?since=2")
                == #"{"changes":[{"revision":3,"at":"2026-11-30T12:00:00Z","store":"native","kind":"removed","cause":"deleted","cookie":{"name":"a","domain":"www.example.com","host_only":true,"path":"/","partition_key":null}}],"revision":3,"more":false}"#
        )
        #expect(try feed("?since=1").contains(#""value":"secret""#))
        #expect(try events("?since=3") == ["3 false"])
    }

    @Test("tells neither of settings nor of the deletion of what a store never had")
    func silent() throws {
        try ingest("a=1")
        try ingest("a=; Max-Age=0", store: "webview")
        try live.send("PUT", "\(jar)/stores/native", json: #"{"accept_policy":"always"}"#)
        try live.send(
            "PUT", "\(jar)/stores/native", json: #"{"session_lifetime_seconds":60}"#)
        #expect(try events() == ["1 added inserted", "3 false"])
    }

    @Test("tells of a sync, a promotion and the end of a session")
    func causes() throws {
        try ingest("a=1")
        try live.send("POST", "\(jar)/sync", json: #"{"from":"native","to":"webview"}"#)
        try live.send(
            "POST", "\(jar)/stores/native/promote", json: #"{"lifetime_seconds":60}"#)
        try live.send("POST", "\(jar)/end-session")
        #expect(
            try events("?since=1")
                == ["2 added synced", "3 changed promoted", "4 removed expired", "4 false"])
    }

    @Test("filters by store and URL, and goes on behind what it left out")
    func filters() throws {
        try ingest("a=1")
        try ingest("b=1", store: "webview")
        try ingest("c=1", url: "https://www.example.org/")
        #expect(try events("?store=webview") == ["2 added inserted", "3 false"])
        #expect(try events("?url=https://www.example.org/x") == ["3 added inserted", "3 false"])
        #expect(try events("?url=mailto:x") == ["3 false"])
        #expect(try events("?store=webview&limit=1") == ["1 true"])
        #expect(try events("?store=webview&limit=1&since=1") == ["2 added inserted", "2 true"])
        #expect(try events("?store=none") == ["3 false"])
    }

    @Test("is read in pages, each change once and in order")
    func pages() throws {
        for index in 1...7 { try ingest("a=\(index)") }
        var (seen, since) = ([String](), "0")
        while true {
            let page = try events("?limit=3&since=\(since)")
            let end = try #require(page.last).split(separator: " ")
            seen += page.dropLast()
            since = String(end[0])
            if end[1] == "false" { break }
        }
        #expect(
            seen == ["1 added inserted"] + (2...7).map { "\($0) changed replaced" })
    }

    @Test("410 for a revision that never was")
    func gone() throws {
        try ingest("a=1")
        for since in ["2", "9223372036854775807"] {
            let answer = try live.send("GET", "\(jar)/changes?since=\(since)")
            #expect(answer.status == 410)
            #expect(answer.slug == "cursor-gone")
        }
    }

    @Test(
        "refuses what it does not know",
        arguments: [
            ("since=-1", "/query/since"), ("since=x", "/query/since"), ("limit=0", "/query/limit"),
            ("limit=1001", "/query/limit"), ("store=a%20b", "/query/store"),
            ("wait=-1", "/query/wait"), ("wait=56", "/query/wait"), ("wait=", "/query/wait"),
            ("url=nowhere", "/query/url"),
        ])
    func invalid(query: String, pointer: String) throws {
        let answer = try live.send("GET", "\(jar)/changes?\(query)")
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
    }
}
