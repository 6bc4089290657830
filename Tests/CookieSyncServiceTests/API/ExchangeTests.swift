// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Responses in, the next request out")
struct ExchangeTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func exchange(_ json: String) throws -> RawResponse {
        try live.send("POST", "\(store)/exchange", json: json)
    }

    @Test("a login form that redirects: the cookie goes along, the body does not")
    func login() throws {
        let answer = try exchange(
            #"""
            {"url":"https://www.example.com/login","method":"POST","status":302,
            "headers":[["Set-Cookie","sid=1; Path=/; Secure; HttpOnly"],["set-cookie","x=1; Domain=com"],
            ["location","account?tab=1"]]}
            """#)
        #expect(answer.status == 200)
        #expect(
            answer.text.hasPrefix(
                #"""
                {"revision":1,"redirect":"follow","location":"https://www.example.com/account?tab=1",\#
                "next":{"url":"https://www.example.com/account?tab=1","cookie":"sid=1","count":1,\#
                "expires_at":null,"method":"GET","body":"drop","remove_headers":["Cookie","Host",\#
                "Content-Encoding",
                """#), "\(answer.text)")
        #expect(
            answer.text.contains(#""same_site_context":"strict","redirect_count":1},"hops":[{"#))
        #expect(
            answer.text.contains(#""url":"https://www.example.com/login","results":[{"name":"sid""#)
        )
        #expect(answer.text.contains(#""reason":"public-suffix""#))
        #expect(answer.text.hasSuffix(#""folded":false,"ambiguous":false}]}"#))
    }

    @Test("a chain: each hop files under its own URL, and goes on with what the hop before led to")
    func chain() throws {
        let answer = try exchange(
            #"""
            {"hops":[
            {"url":"https://www.example.com/","method":"POST","status":307,
             "headers":{"Set-Cookie":["a=1"],"Location":"https://sso.example.net/in"}},
            {"url":"https://sso.example.net/in","status":303,
             "headers":[["Set-Cookie","strict=1; SameSite=Strict"],["Set-Cookie","lax=1; SameSite=Lax"],
                        ["Location","/next"]]}]}
            """#)
        #expect(answer.status == 200)
        // The first leaves the site with its POST; the second turns it into a GET.
        #expect(
            answer.text.contains(#""url":"https://sso.example.net/next","cookie":"lax=1""#),
            "\(answer.text)")
        #expect(answer.text.contains(#""method":"GET","body":"drop""#))
        #expect(answer.text.contains(#""same_site_context":"lax","redirect_count":2"#))
        let first = try live.send(
            "GET", "\(store)/cookie-header?url=https://www.example.com/", nil,
            ["Accept": "text/plain"])
        #expect(first.text == "a=1")
    }

    @Test("what a chain's responses do to one cookie happens in their order, in one transaction")
    func order() throws {
        let answer = try exchange(
            #"""
            {"hops":[
            {"url":"https://www.example.com/","status":302,"headers":[["Set-Cookie","a=1"],["Location","/x"]]},
            {"url":"https://www.example.com/x","status":302,"headers":[["Set-Cookie","a=2; Path=/"],["Location","/y"]]},
            {"url":"https://www.example.com/y","status":302,
             "headers":[["Set-Cookie","a=; Max-Age=0; Path=/"],["Set-Cookie","b=1; Path=/"],["Location","/z"]]}]}
            """#)
        #expect(answer.text.hasPrefix(#"{"revision":4,"#))
        #expect(answer.text.contains(#""cookie":"b=1","count":1"#))
    }

    @Test("an answer leads nowhere; an app's URL, a bad one and the 21st redirect are told apart")
    func outcomes() throws {
        func outcome(_ members: String) throws -> RawResponse {
            try exchange(#"{"url":"https://www.example.com/","headers":[["Location","\#(members)}"#)
        }
        for (members, expected) in [
            (#"/x"]],"status":200"#, #""redirect":"none","location":null,"next":null"#),
            (
                #"myapp:cb?code=1"]],"status":302"#,
                #""redirect":"unsupported-scheme","location":"myapp:cb?code=1","next":null"#
            ),
            (
                #"http://"]],"status":302"#,
                #""redirect":"invalid-location","location":"http://","next":null"#
            ),
            (
                #"/x"]],"status":302,"redirect_count":20"#,
                #""redirect":"too-many-redirects","location":"https://www.example.com/x","next":null"#
            ),
        ] {
            let answer = try outcome(members)
            #expect(answer.status == 200)
            #expect(answer.text.contains(expected), "\(answer.text)")
        }
    }

    @Test("a raw head goes in as message/http, bytes untouched")
    func message() throws {
        let head =
            Array("HTTP/2 302\r\nset-cookie: a=".utf8) + [0xFF]
            + Array("; Path=/\r\nlocation: //other.example.com/\u{E4}\r\n\r\n".utf8)
        let answer = try live.send(
            "POST", "\(store)/exchange?url=https://www.example.com/&method=PUT&dry_run=true", head,
            type: "message/http")
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""location":"https://other.example.com/%C3%A4""#))
        #expect(answer.text.contains(#""method":"PUT","body":"keep""#))
        #expect(answer.text.contains(#""value_base64":"/w==""#))
        let same = try live.send(
            "POST", "\(store)/exchange?url=https://www.example.com/",
            Array("HTTP/1.1 302 Found\nset-cookie: a=".utf8) + [0xFF]
                + Array("\nlocation: /\n\n".utf8), type: "message/http")
        #expect(same.text.contains(#""cookie_base64":"YT3/""#))
    }

    @Test("an IP-direct response goes on at the host that it is of")
    func originHost() throws {
        let answer = try exchange(
            #"""
            {"url":"https://203.0.113.7/login","origin_host":"www.example.com","status":302,
            "headers":[["Set-Cookie","a=1; Path=/"],["Location","/x"]]}
            """#)
        #expect(answer.text.contains(#""next":{"url":"https://www.example.com/x","cookie":"a=1""#))
    }

    @Test("a dry run tells all of it and changes nothing")
    func dryRun() throws {
        let answer = try exchange(
            #"""
            {"url":"https://www.example.com/","status":302,"dry_run":true,
            "headers":[["Set-Cookie","a=1; Path=/"],["Location","/x"]]}
            """#)
        #expect(answer.text.hasPrefix(#"{"revision":0,"#))
        #expect(answer.text.contains(#""cookie":"a=1","count":1"#))
        #expect(try live.send("GET", store).status == 404)
    }

    @Test(
        "what breaks the schema is pointed at",
        arguments: [
            (#"{"url":"https://a.example/","headers":[]}"#, "/status"),
            (#"{"url":"https://a.example/","headers":[],"status":99}"#, "/status"),
            (#"{"url":"https://a.example/","headers":[],"status":"302"}"#, "/status"),
            (#"{"url":"https://a.example/","headers":[],"status":3.02e2}"#, "/status"),
            (#"{"url":"ftp://a.example/","headers":[],"status":302}"#, "/url"),
            (
                #"{"url":"https://a.example/","headers":[],"status":302,"http_api":true}"#,
                "/http_api"
            ),
            (#"{"url":"https://a.example/","headers":[],"status":302,"method":"A B"}"#, "/method"),
            (
                #"{"url":"https://a.example/","headers":[],"status":302,"redirect_count":-1}"#,
                "/redirect_count"
            ),
            (#"{"hops":[]}"#, "/hops"),
            (#"{"hops":[{"url":"https://a.example/","status":302}]}"#, "/hops/0/headers"),
            (#"{"hops":[{"url":"x","status":302,"headers":[]}]}"#, "/hops/0/url"),
            (
                #"{"hops":[{"url":"https://a.example/","status":302,"headers":[],"dry_run":true}]}"#,
                "/hops/0/dry_run"
            ),
            (#"{"hops":[],"url":"https://a.example/"}"#, "/url"),
        ])
    func refusals(body: String, pointer: String) throws {
        let answer = try exchange(body)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
    }

    @Test("21 responses are a chain, 22 are too many")
    func longChains() throws {
        func chain(_ count: Int) -> String {
            let hop = #"{"url":"https://a.example/","status":302,"headers":[["Location","/"]]}"#
            return #"{"hops":[\#([String](repeating: hop, count: count).joined(separator: ","))]}"#
        }
        #expect(try exchange(chain(20)).text.contains(#""redirect":"follow""#))
        #expect(try exchange(chain(21)).text.contains(#""redirect":"too-many-redirects""#))
        #expect(try exchange(chain(22)).pointers == ["/hops"])
    }
}
