// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("document-cookie.js")
struct DocumentCookieTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/webview"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func put(_ json: String) throws {
        #expect(try live.send("PUT", "\(store)/cookies", json: json).status == 200)
    }

    private func script(
        _ url: String = "https://www.example.com/", _ fields: [String: String] = [:]
    ) throws -> RawResponse {
        try live.send("GET", "\(store)/document-cookie.js?url=\(url)", nil, fields)
    }

    @Test("has a guard and an assignment per cookie, and names what needs a native set")
    func text() throws {
        try put(
            #"""
            [{"name":"sid","value":"1","domain":"www.example.com","http_only":true},
            {"name":"raw","value_base64":"/w==","domain":"www.example.com"},
            {"name":"deep","value":"1","domain":"www.example.com","path":"/x"},
            {"name":"far","value":"1","domain":"other.example"},
            {"name":"l","value":"é<","domain":".example.com","same_site":"lax","secure":true,
            "expires":"2026-12-01T12:00:00Z"}]
            """#)
        let answer = try script()
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/javascript; charset=utf-8")
        #expect(
            answer.text == #"""
                (function () {
                  // Need a native set (names percent-encoded): %73%69%64 (http-only) %72%61%77 (not-utf-8)
                  if (typeof location !== "undefined" && String(location.hostname).replace(/\.$/, "") !== "www.example.com") return;
                  document.cookie = "l=\u00E9\u003C; Path=/; Domain=example.com; Expires=Tue, 01 Dec 2026 12:00:00 GMT; Secure; SameSite=Lax";
                })();

                """#)
    }

    @Test("is ASCII without a quote, a tag, or a line's end that a value brought in")
    func hostile() throws {
        try put(
            #"""
            [{"name":"</script>","value":"\"'\\`<!-- \u2028\u2029 ]]> &","domain":"www.example.com"},
            {"name":"*/\u2028//","value":"x","domain":"www.example.com","http_only":true}]
            """#)
        let text = try script().text
        #expect(text.utf8.allSatisfy { $0 < 0x7F })
        #expect(!text.contains("<"))
        #expect(!text.contains("*/"))
        #expect(text.split(separator: "\n").count == 5)
    }

    @Test("of an absent store or a URL without cookies does nothing")
    func nothing() throws {
        let empty = try script().text
        #expect(!empty.contains("document.cookie"))
        #expect(empty.contains(#""www.example.com""#))
        #expect(try script("ftp://www.example.com/").body.isEmpty)
        #expect(try script("nonsense").pointers == ["/query/url"])
        #expect(
            try live.send("GET", "\(store)/document-cookie.js").pointers == ["/query/url"])
        #expect(
            try script("https://a.example/&partition_key=x").pointers == ["/query/partition_key"])
    }

    @Test("has a tag that holds until the script changes")
    func tag() throws {
        try put(
            #"{"name":"a","value":"1","domain":"www.example.com","expires":"2026-11-30T12:00:10Z"}"#
        )
        let tag = try #require(try script()["etag"])
        let held = try script("https://www.example.com/", ["If-None-Match": tag])
        #expect(held.status == 304)
        #expect(held["etag"] == tag)
        live.clock.advance(seconds: 10)
        #expect(try script("https://www.example.com/", ["If-None-Match": tag]).status == 200)
    }

    @Test("of a partitioned cookie depends on the top-level site")
    func partition() throws {
        try put(
            #"""
            {"name":"p","value":"1","domain":"www.example.com","secure":true,"same_site":"none",
            "partition_key":"https://top.example"}
            """#)
        #expect(!(try script().text.contains("document.cookie")))
        #expect(
            try script("https://www.example.com/&partition_key=https://www.top.example").text
                .contains("Partitioned"))
    }
}
