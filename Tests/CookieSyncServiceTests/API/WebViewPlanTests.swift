// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("webview-plan")
struct WebViewPlanTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/webview"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func put(_ json: String) throws {
        #expect(try live.send("PUT", "\(store)/cookies", json: json).status == 200)
    }

    private func plan(_ urls: String...) throws -> RawResponse {
        let query = urls.map { "url=\($0)" }.joined(separator: "&")
        return try live.send("GET", "\(store)/webview-plan?\(query)")
    }

    @Test("has the native cookies once, then a header for each page, then one script")
    func order() throws {
        try put(
            #"""
            [{"name":"sid","value":"1","domain":".example.com","http_only":true,"secure":true,"same_site":"lax",
            "expires":"2026-12-01T12:00:00Z"},
            {"name":"lang","value":"en","domain":"www.example.com"},
            {"name":"cart","value":"7","domain":"shop.example.com"}]
            """#)
        let answer = try plan(
            "https://www.example.com/a", "https://shop.example.com/", "ftp://example.com/")
        #expect(
            answer.text == #"""
                {"revision":3,"native":[{"name":"sid","domain":"example.com","host_only":false,"path":"/",
                "partition_key":null,"reason":"http-only",
                "nshttpcookie":{"Name":"sid","Value":"1","Domain":".example.com","Path":"/","Secure":"TRUE",
                "HttpOnly":"TRUE","SameSite":"lax","Expires":"2026-12-01T12:00:00Z"},
                "android":{"url":"https://www.example.com/","line":
                "sid=1; Path=/; Domain=example.com; Expires=Tue, 01 Dec 2026 12:00:00 GMT; Secure; HttpOnly; SameSite=Lax"}}],
                "requests":[
                {"url":"https://www.example.com/a","cookie":"sid=1; lang=en","count":2,"expires_at":"2026-12-01T12:00:00Z"},
                {"url":"https://shop.example.com/","cookie":"sid=1; cart=7","count":2,"expires_at":"2026-12-01T12:00:00Z"},
                {"url":"ftp://example.com/","cookie":"","count":0,"expires_at":null}],
                "script":"(function () {\n  // Need a native set (names percent-encoded): %73%69%64 (http-only)\n
                """#.split(separator: "\n").joined()
                + #"  if (typeof location !== \"undefined\" && String(location.hostname).replace(/\\.$/, \"\") !== \"www.example.com\") return;\n"#
                + #"  document.cookie = \"lang=en; Path=/\";\n})();\n"#
                + #"(function () {\n  // Need a native set (names percent-encoded): %73%69%64 (http-only)\n"#
                + #"  if (typeof location !== \"undefined\" && String(location.hostname).replace(/\\.$/, \"\") !== \"shop.example.com\") return;\n"#
                + #"  document.cookie = \"cart=7; Path=/\";\n})();\n"}"#)
    }

    @Test("says what neither platform can hold, and gives a path with a semicolon as a URL")
    func unsettable() throws {
        try put(
            #"""
            [{"name":"raw","value_base64":"/w==","domain":"www.example.com"},
            {"name":"p","value":"1","domain":"www.example.com","secure":true,"http_only":true,"same_site":"none",
            "partition_key":"https://example.com"}]
            """#)
        try live.send(
            "POST", "\(store)/ingest",
            json:
                #"{"url":"https://www.example.com/a;b/c","headers":[["Set-Cookie","deep=1; Secure"]]}"#
        )
        let text = try plan("https://www.example.com/a;b/c").text
        #expect(
            text.contains(
                #""reason":"attributes","nshttpcookie":{"Name":"deep","Value":"1","Domain":"www.example.com","#
                    + #""Path":"/a;b","Secure":"TRUE","Discard":"TRUE"},"#
                    + #""android":{"url":"https://www.example.com/a;b/","line":"deep=1; Secure"}"#))
        #expect(text.contains(#""reason":"not-utf-8","nshttpcookie":null,"android":null"#))
        #expect(
            text.contains(
                #""reason":"http-only","nshttpcookie":null,"android":{"url":"https://www.example.com/","#
                    + #""line":"p=1; Path=/; Secure; HttpOnly; SameSite=None; Partitioned"}"#))
        #expect(text.contains(#""cookie_base64":"#))
    }

    @Test("takes up to 32 URLs, at least one, and nothing else twice")
    func limits() throws {
        let url = "https://www.example.com/"
        func query(_ count: Int) -> String {
            Array(repeating: "url=\(url)", count: count).joined(separator: "&")
        }
        let path = "\(store)/webview-plan"
        #expect(try live.send("GET", "\(path)?\(query(32))").status == 200)
        #expect(try live.send("GET", "\(path)?\(query(33))").pointers == ["/query/url"])
        #expect(try live.send("GET", path).pointers == ["/query/url"])
        #expect(try live.send("GET", "\(path)?url").pointers == ["/query/url"])
        #expect(try live.send("GET", "\(path)?url=%ff").pointers == ["/query/url"])
        #expect(try live.send("GET", "\(path)?url=%").pointers == ["/query/url"])
        let key = "partition_key=https://a.example"
        #expect(
            try live.send("GET", "\(path)?\(query(1))&\(key)&\(key)").pointers
                == ["/query/partition_key"])
        #expect(
            try live.send("GET", "\(store)/document-cookie.js?\(query(2))").pointers
                == ["/query/url"])
    }
}
