// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import TestSupport
import Testing

@Suite("The cookies of a store")
struct CookiesTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func put(_ json: String) throws -> RawResponse {
        try live.send("PUT", "\(store)/cookies", json: json)
    }

    private func names(_ query: String = "") throws -> [String] {
        let page = try live.send("GET", "\(store)/cookies\(query)")
        #expect(page.status == 200, "\(query)")
        return try Self.names(of: page)
    }

    private static func names(of page: RawResponse) throws -> [String] {
        let members = try page.json().members()
        return try members[0].value.elements().map { cookie in
            String(decoding: try cookie.members()[0].value.string(), as: UTF8.self)
        }
    }

    @Test("what GET gives can be put back, and then nothing has changed")
    func roundTrip() throws {
        let first = try put(
            #"""
            [{"name":"sid","value":"1","domain":"www.example.com","secure":true,"http_only":true},
            {"name":"wide","value_base64":"/w==","domain":".example.com","path":"/app","same_site":"lax"},
            {"name":"p","value":"","domain":"a.example","secure":true,"partition_key":"https://www.top.example/",
            "expires":"2027-01-01T00:00:00Z","same_site":"none"}]
            """#)
        #expect(first.status == 200)
        #expect(first.text.hasPrefix(#"{"revision":3,"results":[{"name":"sid","outcome":"stored""#))
        let list = try live.send("GET", "\(store)/cookies")
        #expect(list.text.contains(#""domain":"example.com","host_only":false,"path":"/app""#))
        #expect(list.text.contains(#""partition_key":"https://top.example""#))
        #expect(list.text.contains(#""expires":"2027-01-01T00:00:00Z""#))
        let cookies = list.text.dropFirst(#"{"cookies":"#.count).prefix { $0 != "]" } + "]"
        live.clock.advance(seconds: 5)
        let again = try put(String(cookies))
        #expect(again.text.hasPrefix(#"{"revision":3,"#))
        #expect(!again.text.contains(#""outcome":"stored""#))
        #expect(again.text.contains(#""outcome":"unchanged""#))
    }

    @Test("all or nothing: one refused cookie is a 422 that names each, and nothing is stored")
    func allOrNothing() throws {
        let good = #"{"name":"a","value":"1","domain":"a.example"}"#
        let answer = try put(
            #"""
            {"cookies":[\#(good),{"name":"b","value":"1","domain":".com"},
            {"name":"c","value":"x\u0000y","domain":"a.example"},
            {"name":"d","value":"1","domain":"a.example","expires":"2020-01-01T00:00:00Z"}]}
            """#)
        #expect(answer.status == 422)
        #expect(answer.slug == "cookies-refused")
        #expect(answer.pointers == ["/cookies/1", "/cookies/2", "/cookies/3"])
        for reason in ["public-suffix", "invalid-value", "already-expired"] {
            #expect(answer.text.contains(#""reason":"\#(reason)""#), "\(reason)")
        }
        #expect(try names().isEmpty)
        #expect(try live.send("GET", store).status == 404)
        #expect(try put(good).text.hasPrefix(#"{"revision":1,"#))
    }

    @Test("name and value may have 4096 octets together, counted as bytes")
    func sizes() throws {
        let long = String(repeating: "é", count: 2046)
        #expect(try put(#"{"name":"abcd","value":"\#(long)","domain":"a.example"}"#).status == 200)
        #expect(try put(#"{"name":"abcde","value":"\#(long)","domain":"a.example"}"#).status == 422)
    }

    @Test("filters are ANDed and taken literally")
    func filters() throws {
        _ = try put(
            #"""
            [{"name":"a","value":"1","domain":"www.example.com","path":"/app"},
            {"name":"b","value":"1","domain":".example.com"},
            {"name":"%","value":"1","domain":"other.example"}]
            """#)
        #expect(try names() == ["b", "%", "a"])
        #expect(try names("?url=https://www.example.com/app/x") == ["b", "a"])
        #expect(try names("?url=https://www.example.com/") == ["b"])
        #expect(try names("?domain=.EXAMPLE.com") == ["b"])
        #expect(try names("?domain=com") == [])
        #expect(try names("?name=a&path=/app") == ["a"])
        #expect(try names("?name=a&path=/") == [])
        #expect(try names("?name=%25") == ["%"])
        #expect(try names("?name=*") == [])
        #expect(try names("?url=ftp://www.example.com/") == [])
    }

    @Test(
        "pages cover every cookie once, also when some go while the pages are turned",
        arguments: [false, true])
    func paging(isDeleting: Bool) throws {
        let cookies = (0..<25).map {
            #"{"name":"n\#($0)","value":"1","domain":"d\#($0 % 4).example"}"#
        }
        _ = try put("[\(cookies.joined(separator: ","))]")
        let whole = try names("?limit=1000")
        #expect(whole.count == 25)
        var seen: [String] = []
        var cursor: String? = ""
        while let position = cursor, seen.count <= whole.count {
            let query = position.isEmpty ? "?limit=7" : "?limit=7&cursor=\(position)"
            let page = try live.send("GET", "\(store)/cookies\(query)")
            seen += try Self.names(of: page)
            cursor = try page.text("next_cursor")
            guard isDeleting, let last = seen.last else { continue }
            try live.send("DELETE", "\(store)/cookies?name=\(last)")
        }
        #expect(seen == whole)
        if !isDeleting {
            let page = try live.send("GET", "\(store)/cookies?limit=25")
            #expect(page.text.contains(#""next_cursor":null"#))
        }
    }

    @Test("expired cookies are not listed")
    func expiry() throws {
        _ = try put(
            #"{"name":"a","value":"1","domain":"a.example","expires":"2026-11-30T12:01:00Z"}"#)
        #expect(try names() == ["a"])
        live.clock.advance(seconds: 60)
        #expect(try names() == [])
    }

    @Test("deletion needs a filter or all, and tells how many are gone")
    func deletion() throws {
        _ = try put(
            #"""
            [{"name":"a","value":"1","domain":"www.example.com","secure":true,"http_only":true},
            {"name":"b","value":"1","domain":".example.com","path":"/app"},
            {"name":"c","value":"1","domain":"other.example"}]
            """#)
        func delete(_ query: String) throws -> RawResponse {
            try live.send("DELETE", "\(store)/cookies\(query)")
        }
        #expect(try delete("").pointers == ["/query"])
        #expect(try delete("?all=false").status == 422)
        #expect(try delete("?all=true&name=a").pointers == ["/query/all"])
        #expect(try delete("?url=http://www.example.com/x").text == #"{"deleted":1,"revision":4}"#)
        #expect(try delete("?name=missing").text == #"{"deleted":0,"revision":4}"#)
        live.clock.advance(seconds: 60)
        _ = try put(#"{"name":"late","value":"1","domain":"a.example"}"#)
        #expect(try delete("?since=2026-11-30T12:00:30Z").text == #"{"deleted":1,"revision":6}"#)
        #expect(try delete("?all=true").text == #"{"deleted":2,"revision":8}"#)
        #expect(try names() == [])
    }

    @Test(
        "bad parameters are named",
        arguments: [
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=%2B5", "limit"),
            ("limit=", "limit"),
            ("cursor=AAAA", "cursor"), ("cursor=%00", "cursor"), ("url=nonsense", "url"),
            ("name=%zz", "name"), ("since=2026-01-01T00:00:00Z", "since"), ("Name=a", "Name"),
            ("name=a&name=b", "name"), ("all=true", "all"),
        ])
    func badParameters(_ query: String, parameter: String) throws {
        let answer = try live.send("GET", "\(store)/cookies?\(query)")
        #expect(answer.status == 422)
        #expect(answer.slug == "invalid-request")
        #expect(answer.pointers == ["/query/\(parameter)"])
    }

    @Test("names that are put as bytes come back as bytes, and can be asked for")
    func rawNames() throws {
        _ = try put(#"{"name_base64":"/24=","value":"1","domain":"a.example"}"#)
        #expect(
            try live.send("GET", "\(store)/cookies?name=%FFn").text.contains(
                #""name_base64":"/24=""#))
    }
}
