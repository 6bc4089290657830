// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Response headers in, Cookie header out")
struct MainJobTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func header(_ url: String, _ more: String = "") throws -> String {
        try live.send(
            "GET", "\(store)/cookie-header?url=\(url)\(more)", nil, ["Accept": "text/plain"]
        ).text
    }

    @Test("what was ingested is in the very next cookie-header, in JSON and as text")
    func roundTrip() throws {
        let ingested = try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"https://www.example.com/login","headers":[["Set-Cookie","sid=1; Path=/; Secure"],
                ["Content-Type","text/html"],["set-cookie","theme=dark; Max-Age=60"]]}
                """#)
        #expect(ingested.status == 200)
        #expect(
            ingested.text.hasPrefix(
                #"{"revision":2,"results":[{"name":"sid","outcome":"stored","reason":null,"#))
        #expect(ingested.text.hasSuffix(#","folded":false,"ambiguous":false}"#))
        let json = try live.send("GET", "\(store)/cookie-header?url=https://www.example.com/login")
        #expect(json["content-type"] == "application/json")
        #expect(
            json.text
                == #"{"cookie":"sid=1; theme=dark","count":2,"revision":2,"expires_at":"2026-11-30T12:01:00Z"}"#
        )
        let text = try live.send(
            "GET", "\(store)/cookie-header?url=https%3A%2F%2Fwww.example.com%2F", nil,
            ["Accept": "text/plain"])
        #expect(text["content-type"] == "text/plain")
        #expect(text.text == "sid=1; theme=dark")
    }

    @Test("a raw response head goes in as message/http, 1xx heads skipped and the body discarded")
    func message() throws {
        let message = """
            HTTP/1.1 100 Continue\r\n\r\nHTTP/2 302\r\nlocation: /x\r\nSet-Cookie: sid=1; Path=/\r\n\
            Set-Cookie: odd=a,b\r\n\r\nSet-Cookie: body=1\r\n\r\n
            """
        let answer = try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/login", Array(message.utf8),
            type: "message/http")
        #expect(answer.status == 200)
        #expect(try header("https://www.example.com/") == "sid=1; odd=a,b")
    }

    @Test(
        "of what curl -siL writes, each head is taken for the URL that the redirect before it named"
    )
    func redirects() throws {
        let message = """
            HTTP/1.1 200 Connection established\r\n\r\n\
            HTTP/1.1 401 Unauthorized\r\nSet-Cookie: nonce=1\r\n\r\n\
            HTTP/2 302\r\nlocation: https://sso.example.net/in?x=1\r\nset-cookie: a=1; Path=/\r\n\r\n\
            HTTP/1.1 100 Continue\r\n\r\n\
            HTTP/1.1 303 See Other\r\nLocation: /done\r\nSet-Cookie: b=1; Path=/; SameSite=Lax\r\n\
            Set-Cookie: spy=1; Domain=example.com\r\n\r\n\
            HTTP/1.1 200 OK\r\nSet-Cookie: c=1\r\n\r\n\
            HTTP/1.1 200 OK\r\nSet-Cookie: content=1; Path=/\r\n\r\n
            """
        let answer = try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/login", Array(message.utf8),
            type: "message/http")
        #expect(answer.status == 200)
        #expect(answer.text.split(separator: #""outcome":"#).count == 6, "\(answer.text)")
        #expect(answer.text.contains(#""reason":"domain-mismatch""#))
        #expect(try header("https://www.example.com/") == "nonce=1; a=1")
        #expect(try header("https://sso.example.net/") == "b=1; c=1")
        let next = try live.send(
            "POST", "\(store)/exchange?url=https://www.example.com/login&method=POST",
            Array(message.replacing("200 OK", with: "307 OK\r\nLocation: /last").utf8),
            type: "message/http")
        #expect(next.text.contains(#""url":"https://sso.example.net/last""#), "\(next.text)")
    }

    @Test(
        "what follows a head that leads nowhere is content, whatever it looks like",
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nLocation: /x\r\n\r\n",
            "HTTP/1.1 302 Found\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: app://x/\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n<html>\r\n",
        ])
    func content(head: String) throws {
        let answer = try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/login",
            Array((head + "HTTP/1.1 200 OK\r\nSet-Cookie: content=1; Path=/\r\n\r\n").utf8),
            type: "message/http")
        #expect(answer.status == 200)
        #expect(try header("https://www.example.com/") == "")
    }

    @Test("who dials an address stays with its host until a redirect leads elsewhere")
    func dialledRedirects() throws {
        let message = """
            HTTP/1.1 302 Found\r\nLocation: /in\r\nSet-Cookie: a=1; Path=/\r\n\r\n\
            HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nSet-Cookie: b=1; Path=/\r\n\r\n\
            HTTP/1.1 200 OK\r\nSet-Cookie: c=1; Path=/\r\n\r\n
            """
        _ = try live.send(
            "POST", "\(store)/ingest?url=https://203.0.113.7/&origin_host=www.example.com",
            Array(message.utf8), type: "message/http")
        #expect(try header("https://www.example.com/") == "a=1; b=1")
        #expect(try header("https://other.example/") == "c=1")
    }

    @Test("bytes that are not UTF-8 go in as message/http, out as text and as base 64")
    func bytes() throws {
        let message =
            Array("HTTP/1.1 200 OK\nSet-Cookie: a=".utf8) + [0xFF] + Array("; Path=/\n\n".utf8)
        try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/", message, type: "message/http")
        let text = try live.send(
            "GET", "\(store)/cookie-header?url=https://www.example.com/", nil,
            ["Accept": "text/plain"])
        #expect(text.body == Array("a=".utf8) + [0xFF])
        let json = try live.send("GET", "\(store)/cookie-header?url=https://www.example.com/")
        #expect(json.text.hasPrefix(#"{"cookie_base64":"YT3/","count":1,"#))
        let list = try live.send("GET", "\(store)/cookies")
        #expect(list.text.contains(#""value_base64":"/w==""#))
    }

    @Test("a folded string is split, and says so; a line in an array is not")
    func folding() throws {
        let folded = try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"https://a.example/","headers":{"set-cookie":
                "a=1; Expires=Wed, 01 Dec 2032 10:00:00 GMT, b=2"}}
                """#)
        #expect(folded.text.hasSuffix(#""folded":true,"ambiguous":false}"#))
        let exact = try live.send(
            "POST", "\(store)/ingest",
            json: #"{"url":"https://b.example/","headers":{"Set-Cookie":["a=1, b=2"]}}"#)
        #expect(exact.text.hasSuffix(#""folded":false,"ambiguous":false}"#))
        #expect(try header("https://a.example/") == "a=1; b=2")
        #expect(try header("https://b.example/") == "a=1, b=2")
    }

    @Test("a refused cookie is a verdict, not a failure; NUL, CR and LF too")
    func verdicts() throws {
        let answer = try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"http://www.example.com/","headers":[["Set-Cookie","a=1; Domain=com"],
                ["Set-Cookie","b=\u0000"],["Set-Cookie","c=1\r\nX: y"],["Set-Cookie","d=1; Secure"]]}
                """#)
        #expect(answer.status == 200)
        for (name, reason) in [
            ("a", "public-suffix"), ("b", "control-character"), ("c", "control-character"),
            ("d", "secure-required"),
        ] {
            let verdict =
                #"{"name":"\#(name)","outcome":"rejected","reason":"\#(reason)","cookie":null}"#
            #expect(answer.text.contains(verdict), "\(name)")
        }
        #expect(answer.text.hasPrefix(#"{"revision":0,"#))
        #expect(try live.send("GET", "/v1/tenants/acme/jars/alice").status == 404)
    }

    @Test("a dry run tells what would happen and changes nothing")
    func dryRun() throws {
        let body = #"{"url":"https://a.example/","headers":[["Set-Cookie","a=1"]],"dry_run":true}"#
        let dry = try live.send("POST", "\(store)/ingest", json: body)
        #expect(dry.text.contains(#""outcome":"stored""#))
        #expect(dry.text.hasPrefix(#"{"revision":0,"#))
        #expect(try header("https://a.example/") == "")
    }

    @Test("an IP-direct response is filed under its real host")
    func originHost() throws {
        for member in [
            #""origin_host":"www.example.com""#, #""original_url":"https://www.example.com/x""#,
        ] {
            let fresh = try LiveService()
            try fresh.send(
                "POST", "\(store)/ingest",
                json:
                    #"{"url":"https://203.0.113.7/login","headers":[["Set-Cookie","sid=1"]],\#(member)}"#
            )
            let named = try fresh.send("GET", "\(store)/cookie-header?url=https://www.example.com/")
            #expect(named.text.hasPrefix(#"{"cookie":"sid=1""#))
            let direct = try fresh.send(
                "GET", "\(store)/cookie-header?url=https://203.0.113.7/&origin_host=www.example.com"
            )
            #expect(direct.text.hasPrefix(#"{"cookie":"sid=1""#))
        }
    }

    @Test("SameSite, scripts and the method count, as the query says")
    func contexts() throws {
        try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"https://a.example/","headers":[["Set-Cookie","s=1; SameSite=Strict"],
                ["Set-Cookie","l=1; SameSite=Lax"],["Set-Cookie","n=1; SameSite=None; Secure; HttpOnly"]]}
                """#)
        let url = "https://a.example/"
        #expect(try header(url) == "s=1; l=1; n=1")
        #expect(try header(url, "&same_site_context=lax") == "l=1; n=1")
        #expect(try header(url, "&same_site_context=lax&method=POST") == "n=1")
        #expect(try header(url, "&same_site_context=lax&method=HEAD") == "l=1; n=1")
        #expect(try header(url, "&same_site_context=lax&method=get") == "l=1; n=1")
        #expect(try header(url, "&same_site_context=cross-site") == "n=1")
        #expect(try header(url, "&http_api=false") == "s=1; l=1")
    }

    @Test("a partition key may be any URL of its site")
    func partitions() throws {
        try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"https://a.example/","partition_key":"https://www.top.example:443/x",
                "headers":[["Set-Cookie","p=1; Secure; Partitioned"]]}
                """#)
        #expect(try header("https://a.example/", "&partition_key=https://top.example") == "p=1")
        #expect(try header("https://a.example/", "&partition_key=https://other.example") == "")
        #expect(
            try live.send("GET", "\(store)/cookies").text.contains(
                #""partition_key":"https://top.example""#))
    }

    @Test("many URLs are answered out of one snapshot")
    func batch() throws {
        try live.send(
            "POST", "\(store)/ingest",
            json:
                #"{"url":"https://a.example/x/","headers":[["Set-Cookie","a=1"],["Set-Cookie","b=\"é\"; Path=/"]]}"#
        )
        let answer = try live.send(
            "POST", "\(store)/cookie-header",
            json:
                #"{"urls":["https://a.example/x/y",{"url":"https://a.example/"},"gopher://a.example/"]}"#
        )
        let expected = #"""
            {"results":[{"url":"https://a.example/x/y","cookie":"a=1; b=\"é\"","count":2,"expires_at":null},\#
            {"url":"https://a.example/","cookie":"b=\"é\"","count":1,"expires_at":null},\#
            {"url":"gopher://a.example/","cookie":"","count":0,"expires_at":null}],"revision":2}
            """#
        #expect(answer.text == expected)
        let bad = try live.send(
            "POST", "\(store)/cookie-header", json: #"{"urls":["https://a.example/","a b"]}"#)
        #expect(bad.status == 422)
        #expect(bad.pointers == ["/urls/1"])
    }

    @Test("a login that has not happened yet, and a URL without cookies, are no errors")
    func nothingThere() throws {
        for url in ["https://a.example/", "ftp://a.example/", "http://1.2.3.4.5/", "about:blank"] {
            let answer = try live.send("GET", "\(store)/cookie-header?url=\(url)")
            #expect(
                answer.text == #"{"cookie":"","count":0,"revision":0,"expires_at":null}"#, "\(url)")
        }
    }

    @Test("explain says of every cookie whether it is sent, and all that keeps it back")
    func explanation() throws {
        try live.send(
            "POST", "\(store)/ingest",
            json: #"""
                {"url":"https://a.example/x/","headers":[["Set-Cookie","deep=1; Secure; Path=/x/y; HttpOnly"],
                ["Set-Cookie","wide=1; Path=/"]]}
                """#)
        let answer = try live.send("GET", "\(store)/explain?url=http://a.example/x&http_api=false")
        #expect(answer.text.hasPrefix(#"[{"cookie":{"name":"deep","value":"1","#))
        let reasons = #""sent":false,"reasons":["path-mismatch","secure-required","http-only"]}"#
        #expect(answer.text.contains(reasons))
        #expect(answer.text.hasSuffix(#""sent":true,"reasons":[]}]"#))
        for query in [
            "stores/other/explain?url=https://a.example/",
            "stores/native/explain?url=ftp://a.example/",
        ] {
            #expect(try live.send("GET", "/v1/tenants/acme/jars/alice/\(query)").text == "[]")
        }
    }

    @Test("a value is written with its escapes")
    func escapes() throws {
        try live.send(
            "POST", "\(store)/ingest",
            json:
                #"{"url":"https://a.example/","headers":[["Set-Cookie","j={\"a\":\"\\\\\"}\t|"]]}"#)
        let answer = try live.send("GET", "\(store)/cookie-header?url=https://a.example/")
        #expect(try answer.text("cookie") == "j={\"a\":\"\\\\\"}\t|")
    }
}
