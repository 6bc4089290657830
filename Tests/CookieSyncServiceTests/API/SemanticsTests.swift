// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Cookie rules through the API")
struct SemanticsTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func ingest(_ headers: String, url: String = "https://www.example.com/") throws
        -> RawResponse
    {
        try live.send("POST", "\(store)/ingest", json: #"{"url":"\#(url)","headers":\#(headers)}"#)
    }

    private func header(_ url: String) throws -> String {
        try live.send(
            "GET", "\(store)/cookie-header?url=\(url)", nil, ["Accept": "text/plain"]
        ).text
    }

    @Test("Max-Age=+5 is ignored, more digits than a number holds are clamped")
    func maxAge() throws {
        let answer = try ingest(
            #"[["Set-Cookie","plus=1; Max-Age=+5"],["Set-Cookie","huge=1; Max-Age=99999999999999999999"]]"#
        )
        #expect(answer.text.contains(#""name":"plus","value":"1""#))
        // 400 days after 2026-11-30T12:00:00Z.
        #expect(answer.text.contains(#""expires":"2028-01-04T12:00:00Z""#))
        live.clock.advance(seconds: 6)
        #expect(try header("https://www.example.com/") == "plus=1; huge=1")
    }

    @Test("a name of 65 535 octets is refused by its rule")
    func longName() throws {
        let name = String(repeating: "n", count: 65_535)
        let head = "HTTP/1.1 200 OK\r\nSet-Cookie: \(name)=1\r\nSet-Cookie: \(name)\r\n\r\n"
        let answer = try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/", Array(head.utf8),
            type: "message/http")
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""outcome":"rejected","reason":"name-value-too-long""#))
        #expect(!answer.text.contains(#""outcome":"stored""#))
    }

    @Test(
        "Expires follows the server's clock, whatever the case of Date",
        arguments: ["Date", "DATE", "date"])
    func serverClock(name: String) throws {
        // The server's clock is an hour behind: its 11:30 is our 12:30.
        let answer = try ingest(
            #"""
            [["\#(name)","Mon, 30 Nov 2026 11:00:00 GMT"],
            ["Set-Cookie","a=1; Expires=Mon, 30 Nov 2026 11:30:00 GMT"]]
            """#)
        #expect(answer.text.contains(#""expires":"2026-11-30T12:30:00Z""#))
        let head =
            "HTTP/1.1 200 OK\r\n\(name): Mon, 30 Nov 2026 13:00:00 GMT\r\n"
            + "Set-Cookie: b=1; Expires=Mon, 30 Nov 2026 13:30:00 GMT\r\n\r\n"
        let message = try live.send(
            "POST", "\(store)/ingest?url=https://www.example.com/", Array(head.utf8),
            type: "message/http")
        #expect(message.text.contains(#""expires":"2026-11-30T12:30:00Z""#))
    }

    @Test("evictions are named in the answer; what was read lately stays")
    func evictions() throws {
        let lines = (0..<180).map { #"["Set-Cookie","n\#($0)=1; Path=/\#($0); Secure"]"# }
        #expect(
            try !ingest("[\(lines.joined(separator: ","))]").text.contains(#""evicted""#))
        live.clock.advance(seconds: 60)
        #expect(try header("https://www.example.com/0") == "n0=1")
        let revision = try live.send("GET", store).text
        let answer = try ingest(#"[["Set-Cookie","new=1; Path=/new; Secure"]]"#)
        let evicted = answer.text.split(separator: #""evicted":["#).last?.prefix { $0 != "]" } ?? ""
        // From 181 down to 150, the oldest first.
        #expect(evicted.split(separator: "{").count == 31)
        #expect(evicted.contains(#""name":"n1""#) && evicted.contains(#""name":"n31""#))
        #expect(!evicted.contains(#""name":"n0""#) && !evicted.contains(#""name":"new""#))
        #expect(revision.contains(#""revision":180"#), "a read is no write")
    }

    @Test("an ambiguous comma is said, in any case of the header's name")
    func ambiguity() throws {
        for (headers, flags) in [
            (#"{"SET-COOKIE":"a=1, b=2"}"#, #""folded":true,"ambiguous":true}"#),
            (#"{"set-cookie":"a=1, b"}"#, #""folded":false,"ambiguous":true}"#),
            (
                #"{"Set-Cookie":"a=1; Path=/, b=2; Secure, c=3"}"#,
                #""folded":true,"ambiguous":false}"#
            ),
            (#"{"Set-Cookie":["a=1, b=2"]}"#, #""folded":false,"ambiguous":false}"#),
            (#"[["Set-Cookie","a=1, b=2"]]"#, #""folded":false,"ambiguous":false}"#),
        ] {
            #expect(try ingest(headers).text.hasSuffix(flags), "\(headers)")
        }
    }

    @Test("http on loopback counts as secure, unless the operator says otherwise")
    func loopback() throws {
        let line = #"[["Set-Cookie","a=1; Secure"]]"#
        #expect(
            try ingest(line, url: "http://localhost:3000/").text.contains(#""outcome":"stored""#))
        #expect(try header("http://127.0.0.1/") == "")
        #expect(try header("http://localhost/") == "a=1")
        let strict = try LiveService(loopbackIsSecure: false)
        let answer = try strict.send(
            "POST", "\(store)/ingest", json: #"{"url":"http://localhost/","headers":\#(line)}"#)
        #expect(answer.text.contains(#""reason":"secure-required""#))
    }
}
