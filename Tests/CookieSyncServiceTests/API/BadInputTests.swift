// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Bad input gets a clear 4xx and changes nothing")
struct BadInputTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func expectNothingStored() throws {
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars").text == #"{"jars":[],"next_cursor":null}"#
        )
    }

    @Test(
        "a body that is not JSON",
        arguments: [
            " ", "{", "{\"cookies\":[]}x", "{}{}", "{\"cookies\":[],}", "{\"cookies\":[1,]}",
            "\u{feff}{}",
            "{\"cookies\":[],\"zz\":\"\\ud800\"}",
            "{\"name\":\"a\",\"name\":\"b\",\"value\":\"v\",\"domain\":\"a.example\"}",
            "{\"name\":\"a\",\"\\u006eame\":\"b\",\"value\":\"v\",\"domain\":\"a.example\"}",
            "{\"name\":\"a\",\"value\":\"v\",\"domain\":\"a.example\",\"expires\":NaN}",
        ])
    func notJSON(_ body: String) throws {
        let answer = try live.send("PUT", "\(store)/cookies", json: body)
        #expect(answer.status == 400)
        #expect(answer.slug == "malformed-json")
        #expect(answer.text.contains("\"offset\":"))
        try expectNothingStored()
    }

    @Test("an empty body")
    func emptyBody() throws {
        #expect(try live.send("PUT", "\(store)/cookies", []).slug == "malformed-json")
    }

    @Test(
        "JSON that breaks the schema",
        arguments: [
            ("PUT", "cookies", "[{}]", "/0/name"), ("PUT", "cookies", "\"x\"", ""),
            ("PUT", "cookies", "{\"cookies\":[],\"x\":1}", "/x"),
            ("PUT", "cookies", "{\"cookies\":{\"a\":1,\"a\":2}}", "/cookies"),
            (
                "POST", "ingest",
                "{\"url\":\"https://a.example/\",\"headers\":[],\"tenant_id\":\"b\"}", "/tenant_id"
            ),
            ("POST", "ingest", "{\"url\":\"not a url\",\"headers\":[]}", "/url"),
            ("POST", "ingest", "{\"url\":\"ftp://a.example/\",\"headers\":[]}", "/url"),
            ("POST", "ingest", "{\"url\":\"http://1.2.3.4.5/\",\"headers\":[]}", "/url"),
            (
                "POST", "ingest",
                "{\"url\":\"https://a.example/\",\"headers\":[],\"origin_host\":\"a b\"}",
                "/origin_host"
            ),
            (
                "POST", "ingest",
                "{\"url\":\"https://a.example/\",\"headers\":[],\"partition_key\":\"top\"}",
                "/partition_key"
            ),
            (
                "POST", "ingest",
                "{\"url\":\"https://a.example/\",\"headers\":[],\"main_document_url\":\"x\"}",
                "/main_document_url"
            ),
        ])
    func schema(_ method: String, _ operation: String, _ body: String, pointer: String) throws {
        let answer = try live.send(method, "\(store)/\(operation)", json: body)
        #expect(answer.status == 422)
        #expect(answer.slug == "invalid-request")
        #expect(answer.pointers == [pointer])
        try expectNothingStored()
    }

    @Test(
        "a bad URL or parameter of cookie-header",
        arguments: [
            ("", "url"), ("url=nonsense", "url"), ("url=", "url"), ("url=%zz", "url"),
            ("url=https://a.example/&method=a%20b", "method"), ("url=https://a.example/&x=1", "x"),
            ("url=https://a.example/&same_site_context=Lax", "same_site_context"),
            ("url=https://a.example/&http_api=yes", "http_api"),
            ("url=https://a.example/&url=b", "url"),
            ("url=https://a.example/&partition_key=top", "partition_key"),
            ("url=https://a.example/&origin_host=a/b", "origin_host"),
        ])
    func cookieHeader(_ query: String, parameter: String) throws {
        let answer = try live.send("GET", "\(store)/cookie-header?\(query)")
        #expect(answer.status == 422)
        #expect(answer.pointers == ["/query/\(parameter)"])
    }

    @Test("a body of 1 MiB is read, one byte more is not")
    func tooLarge() throws {
        let document = Array(#"{"cookies":[]}"#.utf8)
        let padding = [UInt8](repeating: 0x20, count: (1 << 20) - document.count)
        #expect(try live.send("PUT", "\(store)/cookies", document + padding).status == 200)
        let answer = try live.send("PUT", "\(store)/cookies", document + padding + [0x20])
        #expect(answer.status == 413)
        #expect(answer.slug == "body-too-large")
    }

    @Test("too many names and values, or too long a string")
    func tooMuch() throws {
        let arrays = "[\(Array(repeating: "[]", count: 30_000).joined(separator: ","))]"
        #expect(try live.send("PUT", "\(store)/cookies", json: arrays).slug == "body-too-large")
        let long = String(repeating: "\\u0061", count: 170_000)
        let body = #"{"name":"a","value":"\#(long)","domain":"a.example"}"#
        #expect(try live.send("PUT", "\(store)/cookies", json: body).slug == "body-too-large")
    }

    @Test(
        "a wrong media type",
        arguments: [
            nil, "text/plain", "application/json; charset=utf-16", "application/jsonx",
            "message/http", "*/*",
        ] as [String?])
    func mediaType(_ type: String?) throws {
        let answer = try live.send("PUT", "\(store)/cookies", Array("[]".utf8), type: type)
        #expect(answer.status == 415)
        #expect(answer.slug == "unsupported-media-type")
    }

    @Test(
        "a right media type in another spelling",
        arguments: [
            "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
            "application/json;v=1",
        ])
    func mediaTypeSpellings(_ type: String) throws {
        #expect(
            try live.send("PUT", "\(store)/cookies", Array("[]".utf8), type: type).status == 200)
    }

    @Test(
        "a wrong method",
        arguments: [
            ("PATCH", "/cookies", "GET, HEAD, PUT, DELETE, OPTIONS"),
            ("GET", "/ingest", "POST, OPTIONS"),
            ("POST", "", "GET, HEAD, PUT, DELETE, OPTIONS"), ("post", "/ingest", "POST, OPTIONS"),
            ("DELETE", "/cookie-header", "GET, HEAD, POST, OPTIONS"),
        ])
    func method(_ method: String, _ path: String, allow: String) throws {
        let answer = try live.send(method, "\(store)\(path)")
        #expect(answer.status == 405)
        #expect(answer.slug == "method-not-allowed")
        #expect(answer["allow"] == allow)
        let options = try live.send("OPTIONS", "\(store)\(path)")
        #expect(options.status == 204)
        #expect(options["allow"] == allow)
    }

    @Test(
        "a path that is none",
        arguments: [
            "/", "/v1", "/V1/tenants/a/jars", "//healthz", "/healthz/", "/v1/../healthz",
            "/v1%2ftenants/a/jars",
            "/v1/tenants/acme/jars/alice/stores/native/cookies/x/y/z", "/%2e",
        ])
    func path(_ target: String) throws {
        let answer = try live.send("GET", target)
        #expect(answer.status == 404)
        #expect(answer.slug == "not-found")
    }

    @Test("a path that is not percent-encoded")
    func encoding() throws {
        #expect(try live.send("GET", "/v1/tenants/%zz/jars").slug == "malformed-request")
        #expect(try live.send("GET", "/v1/tenants/a%4").slug == "malformed-request")
    }

    @Test(
        "a message/http body that is no response head",
        arguments: [
            ("", "malformed-message"), ("Set-Cookie: a=1\r\n\r\n", "malformed-message"),
            ("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n", "malformed-message"),
            ("HTTP/1.1 200 OK\r\nSet-Cookie: a=1", "malformed-message"),
            ("HTTP/1.1 100 Continue\r\n\r\n", "malformed-message"),
            ("HTTP/1.1 20 OK\r\n\r\n", "malformed-message"),
            (
                "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 270_000))\r\n\r\n",
                "body-too-large"
            ),
        ])
    func message(_ text: String, slug: String) throws {
        let answer = try live.send(
            "POST", "\(store)/ingest?url=https://a.example/", Array(text.utf8), type: "message/http"
        )
        #expect(answer.slug == slug)
        try expectNothingStored()
    }

    @Test("message/http without a URL, and JSON with a query")
    func messageParameters() throws {
        let head = Array("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n\r\n".utf8)
        let missing = try live.send("POST", "\(store)/ingest", head, type: "message/http")
        #expect(missing.pointers == ["/query/url"])
        let both = try live.send(
            "POST", "\(store)/ingest?url=https://a.example/",
            json: #"{"url":"https://a.example/","headers":[]}"#)
        #expect(both.pointers == ["/query"])
    }

    @Test("a message/http body of up to 8 MiB is taken, its content discarded")
    func largeMessage() throws {
        let head = Array("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n\r\n".utf8)
        let content = [UInt8](repeating: 0x61, count: (8 << 20) - head.count)
        let target = "\(store)/ingest?url=https://a.example/"
        #expect(try live.send("POST", target, head + content, type: "message/http").status == 200)
        // Refused by its declared length, before any of it is read.
        let declared = ["Content-Length": String((8 << 20) + 1)]
        #expect(try live.send("POST", target, head, type: "message/http", declared).status == 413)
    }

    @Test("more than 500 cookies, URLs, or 1000 Set-Cookie lines")
    func batches() throws {
        func list(_ element: String, _ count: Int) -> String {
            "[\(Array(repeating: element, count: count).joined(separator: ","))]"
        }
        let cookie = #"{"name":"a","value":"1","domain":"a.example"}"#
        #expect(try live.send("PUT", "\(store)/cookies", json: list(cookie, 500)).status == 200)
        #expect(try live.send("PUT", "\(store)/cookies", json: list(cookie, 501)).status == 422)
        let urls = list(#""https://a.example/""#, 501)
        #expect(
            try live.send("POST", "\(store)/cookie-header", json: #"{"urls":\#(urls)}"#).pointers
                == ["/urls"])
        let lines = list(#"["Set-Cookie","b=1"]"#, 1001)
        let body = #"{"url":"https://a.example/","headers":\#(lines)}"#
        #expect(try live.send("POST", "\(store)/ingest", json: body).pointers == ["/headers"])
    }

    @Test("faults of the protocol are problems as well")
    func protocolFaults() throws {
        let client = try RawHTTPClient(port: live.port)
        let answer = try client.exchange("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        #expect(answer.status == 400)
        #expect(answer.slug == "malformed-request")
        #expect(answer["x-request-id"] != nil)
        #expect(answer["cache-control"] == "no-store")
        let long = try live.send("GET", "/\(String(repeating: "a", count: 20_000))")
        #expect(long.slug == "target-too-long")
    }

    @Test("no problem repeats a value")
    func redaction() throws {
        let answers = [
            try live.send(
                "PUT", "\(store)/cookies",
                json: #"{"name":"a","value":"canary;","domain":"a.example"}"#),
            try live.send(
                "PUT", "\(store)/cookies",
                json: #"{"name":"a","value":"canary","domain":"a.example","x":"canary"}"#),
            try live.send("PUT", "\(store)/cookies", json: #"{"name":"a","value":"canary"#),
            try live.send(
                "PUT", "\(store)/cookies",
                json: #"{"name":"a","value":["canary"],"domain":"a.example"}"#),
        ]
        for answer in answers {
            #expect(answer.status >= 400)
            #expect(!answer.text.contains("canary"))
        }
    }
}
