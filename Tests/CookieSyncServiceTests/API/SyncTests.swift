// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Sync and rewrite-domain")
struct SyncTests {
    private let jar = "/v1/tenants/acme/jars/alice"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func ingest(_ store: String, _ line: String, url: String = "https://www.example.com/")
        throws
    {
        try live.send(
            "POST", "\(jar)/stores/\(store)/ingest",
            json: #"{"url":"\#(url)","headers":[["Set-Cookie","\#(line)"]]}"#)
    }

    private func header(_ store: String, _ url: String = "https://www.example.com/") throws
        -> String
    {
        try live.send(
            "GET", "\(jar)/stores/\(store)/cookie-header?url=\(url)", nil, ["Accept": "text/plain"]
        ).text
    }

    private func sync(_ json: String) throws -> RawResponse {
        try live.send("POST", "\(jar)/sync", json: json)
    }

    @Test("merge brings what is newer and keeps what only the target has")
    func merge() throws {
        try ingest("native", "sid=1; Secure; HttpOnly")
        try ingest("webview", "own=1")
        let answer = try sync(#"{"from":"native","to":"webview"}"#)
        #expect(
            answer.text.hasPrefix(
                #"{"revision":3,"added":1,"updated":0,"deleted":0,"unchanged":1,"#))
        #expect(
            answer.text.contains(
                #"{"store":"webview","name":"sid","domain":"www.example.com","host_only":true,"path":"/","#
                    + #""partition_key":null,"action":"added","reason":"missing"}"#))
        #expect(try header("webview") == "sid=1; own=1")
        #expect(
            try sync(#"{"from":"native","to":"webview"}"#).text.hasPrefix(
                #"{"revision":3,"added":0"#))
    }

    @Test("mirror makes the target the same, but never out of a store that does not exist")
    func mirror() throws {
        try ingest("webview", "own=1")
        let absent = try sync(#"{"from":"native","to":"webview","mode":"mirror"}"#)
        #expect(absent.status == 404)
        #expect(absent.slug == "not-found")
        #expect(try header("webview") == "own=1")
        try ingest("native", "sid=1")
        #expect(
            try sync(#"{"from":"native","to":"webview","mode":"mirror"}"#).text.contains(
                #""deleted":1"#))
        #expect(try header("webview") == "sid=1")
    }

    @Test("two-way converges both ends, deletions included")
    func twoWay() throws {
        try ingest("a", "x=1")
        try ingest("b", "y=1")
        _ = try sync(#"{"from":"a","to":"b","mode":"two-way"}"#)
        #expect(try header("a") == header("b"))
        try ingest("b", "x=; Max-Age=0")
        _ = try sync(#"{"from":"a","to":"b","mode":"two-way"}"#)
        #expect(try header("a") == "y=1")
        #expect(try header("b") == "y=1")
    }

    @Test("a filter narrows it, a dry run changes nothing")
    func filter() throws {
        try ingest("native", "sid=1; Domain=example.com")
        try ingest("native", "other=1")
        let filtered =
            #""filter":{"domains":[".Example.com"],"names":["sid","x"],"url":"https://www.example.com/"}"#
        let dry = try sync(#"{"from":"native","to":"webview",\#(filtered),"dry_run":true}"#)
        #expect(dry.text.hasPrefix(#"{"revision":2,"added":1,"#))
        #expect(try header("webview") == "")
        _ = try sync(#"{"from":"native","to":"webview",\#(filtered)}"#)
        #expect(try header("webview") == "sid=1")
    }

    @Test(
        "what cannot be synced is named",
        arguments: [
            (#"{"from":"native","to":"native"}"#, "/to"), (#"{"from":"a b","to":"c"}"#, "/from"),
            (#"{"from":"a","to":".."}"#, "/to"),
            (#"{"from":"a","to":"b","filter":{"url":"nonsense"}}"#, "/filter/url"),
            (#"{"from":"a","to":"b","jar":"bob"}"#, "/jar"),
        ])
    func refusals(_ json: String, pointer: String) throws {
        let answer = try sync(json)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
    }

    @Test(
        "rewrite-domain files an address's cookies under its host, in any spelling of the address")
    func rewrite() throws {
        try ingest("native", "sid=1", url: "https://203.0.113.7/")
        let target = "\(jar)/stores/native/rewrite-domain"
        let preview = try live.send(
            "POST", target, json: #"{"from":"0xcb.0.0x7107","to":"www.example.com","dry_run":true}"#
        )
        #expect(
            preview.text.hasPrefix(#"{"revision":1,"rewritten":1,"superseded":0,"rejected":0,"#))
        #expect(try header("native", "https://203.0.113.7/") == "sid=1")
        try live.send("POST", target, json: #"{"from":"203.0.113.7","to":"WWW.Example.com"}"#)
        #expect(try header("native", "https://203.0.113.7/") == "")
        #expect(try header("native") == "sid=1")
        let again = try live.send(
            "POST", target, json: #"{"from":"203.0.113.7","to":"www.example.com"}"#)
        #expect(again.text.hasSuffix(#""rewritten":0,"superseded":0,"rejected":0,"results":[]}"#))
    }

    @Test("IPv6 addresses have many spellings too")
    func rewriteIPv6() throws {
        try ingest("native", "sid=1", url: "https://[2001:db8::7]/")
        let answer = try live.send(
            "POST", "\(jar)/stores/native/rewrite-domain",
            json: #"{"from":"2001:0db8:0:0:0:0:0:7","to":"example.com","domain_wide":true}"#)
        #expect(answer.text.contains(#""rewritten":1"#))
        #expect(try header("native") == "sid=1")
    }

    @Test("a rule that would no longer hold refuses the cookie and leaves it where it is")
    func rewriteRefusals() throws {
        try ingest("native", "__Host-a=1; Secure; Path=/", url: "https://203.0.113.7/")
        let answer = try live.send(
            "POST", "\(jar)/stores/native/rewrite-domain",
            json: #"{"from":"203.0.113.7","to":"www.example.com","domain_wide":true}"#)
        #expect(answer.text.contains(#""outcome":"rejected","reason":"host-prefix""#))
        #expect(try header("native", "https://203.0.113.7/") == "__Host-a=1")
    }

    @Test(
        "a target that is no host name is refused",
        arguments: [
            "a\\r\\nb", "a b", "a;b.example", "a,b.example", "*.example.com", "a.example:80", "a/b",
            "",
        ])
    func rewriteTargets(_ target: String) throws {
        let answer = try live.send(
            "POST", "\(jar)/stores/native/rewrite-domain",
            json: #"{"from":"203.0.113.7","to":"\#(target)"}"#)
        #expect(answer.status == 422, "\(target)")
        #expect(answer.pointers == ["/to"], "\(target)")
    }
}
