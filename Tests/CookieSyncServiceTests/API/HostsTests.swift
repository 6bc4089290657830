// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Hosts and their addresses")
struct HostsTests {
    private static let hosts = "/v1/tenants/acme/hosts"
    private static let store = "/v1/tenants/acme/jars/alice/stores/native"

    private func put(_ live: LiveService, _ host: String, _ addresses: [String]) throws
        -> RawResponse
    {
        let list = addresses.map { "\"\($0)\"" }.joined(separator: ",")
        return try live.send("PUT", "\(Self.hosts)/\(host)", json: #"{"addresses":[\#(list)]}"#)
    }

    private func ingest(
        _ live: LiveService, _ url: String, _ line: String = "sid=1", extra: String = ""
    ) throws -> RawResponse {
        try live.send(
            "POST", "\(Self.store)/ingest",
            json: #"{"url":"\#(url)","headers":[["Set-Cookie","\#(line)"]]\#(extra)}"#)
    }

    private func header(_ live: LiveService, _ url: String, _ query: String = "") throws
        -> RawResponse
    {
        try live.send(
            "GET", "\(Self.store)/cookie-header?url=\(url)\(query)", nil, ["Accept": "text/plain"])
    }

    /// Ready in memory, and only after a load.
    private static func services() throws -> [LiveService] {
        [try LiveService(), try LiveService(storage: UncachedStorage())]
    }

    @Test("are set, told, listed in pages and forgotten")
    func management() throws {
        for live in try Self.services() {
            let first = try put(live, "WWW.Example.COM.", ["203.0.113.7", "[2001:DB8:0:0::1]"])
            #expect(first.status == 201)
            let body = #"{"host":"www.example.com","addresses":["203.0.113.7","2001:db8::1"]}"#
            #expect(first.text == body)
            #expect(try live.send("GET", "\(Self.hosts)/www.example.com").text == body)
            #expect(
                try live.send("PUT", "\(Self.hosts)/www.example.com", json: body).status == 200)
            for name in ["a.example", "b\u{fc}cher.example", "z.example"] {
                let path = name.utf8.map {
                    $0 < 0x80 ? String(Character(Unicode.Scalar($0))) : "%" + String($0, radix: 16)
                }.joined()
                #expect(try put(live, path, ["203.0.113.9"]).status == 201)
            }
            let page = try live.send("GET", "\(Self.hosts)?limit=3").text
            #expect(page.contains(#""host":"a.example""#))
            #expect(page.contains(#""host":"xn--bcher-kva.example""#))
            #expect(!page.contains("z.example"))
            let cursor = try #require(page.split(separator: "\"").suffix(2).first)
            let rest = try live.send("GET", "\(Self.hosts)?limit=3&cursor=\(cursor)").text
            #expect(
                rest
                    == #"{"hosts":[{"host":"z.example","addresses":["203.0.113.9"]}],"next_cursor":null}"#
            )
            for _ in 0..<2 {
                #expect(try live.send("DELETE", "\(Self.hosts)/a.example").status == 204)
            }
            #expect(try live.send("GET", "\(Self.hosts)/a.example").slug == "not-found")
        }
    }

    @Test(
        "bad ones are refused, and say where",
        arguments: [
            ("203.0.113.7", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("%5B::1%5D", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("::1", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("co.uk", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("com", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("a..example", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("a%20b.example", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("*.example.com", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("1.2.3.4.5", #"{"addresses":["203.0.113.8"]}"#, "/path/host"),
            ("www.example.com", #"{}"#, "/addresses"),
            ("www.example.com", #"{"addresses":[]}"#, "/addresses"),
            ("www.example.com", #"{"addresses":"203.0.113.8"}"#, "/addresses"),
            ("www.example.com", #"{"addresses":[1]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["203.0.113.8","a.example"]}"#, "/addresses/1"),
            ("www.example.com", #"{"addresses":["203.0.113.8:443"]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["203.0.113.0/24"]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["fe80::1%eth0"]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["256.1.1.1"]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["1:2:3"]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":[""]}"#, "/addresses/0"),
            ("www.example.com", #"{"addresses":["1.1.1.1"],"ttl":5}"#, "/ttl"),
        ])
    func refusals(host: String, body: String, pointer: String) throws {
        let live = try LiveService()
        let answer = try live.send("PUT", "\(Self.hosts)/\(host)", json: body)
        #expect(answer.status == 422)
        #expect(answer.text.contains(#""pointer":"\#(pointer)""#), "\(answer.text)")
        #expect(
            try live.send("GET", Self.hosts).text == #"{"hosts":[],"next_cursor":null}"#)
    }

    @Test("257 addresses are too many, 256 are not; 2 000 hosts are the most of a tenant")
    func bounds() throws {
        let live = try LiveService()
        let addresses = (0..<257).map { "10.0.\($0 / 256).\($0 % 256)" }
        #expect(try put(live, "a.example", addresses).status == 422)
        #expect(try put(live, "a.example", addresses.dropLast()).status == 201)
        for index in 1..<2000 { _ = try put(live, "h\(index).example", ["10.1.1.1"]) }
        let answer = try put(live, "more.example", ["10.1.1.1"])
        #expect(answer.status == 507)
        #expect(answer.slug == "quota-exceeded")
        #expect(try put(live, "h7.example", ["10.1.1.2"]).status == 200)
    }

    @Test(
        "every spelling of an address acts as the host, and none reaches the storage",
        arguments: [
            ("203.0.113.7", "203.0.113.7"), ("203.0.113.7", "0xcb007107"),
            ("0313.0.0x71.7", "203.0.113.7"), ("203.0.28935", "203.0.113.7"),
            ("3405803783", "203.0.113.7."), ("::ffff:203.0.113.7", "203.0.113.7"),
            ("203.0.113.7", "[::ffff:203.0.113.7]"), ("203.0.113.7", "[::FFFF:cb00:7107]"),
            ("2001:db8::1", "[2001:DB8:0:0:0:0:0:1]"), ("[2001:0db8:0::1]", "[2001:db8::1]"),
        ])
    func spellings(registered: String, used: String) throws {
        for live in try Self.services() {
            _ = try put(live, "www.example.com", [registered])
            let stored = try ingest(
                live, "https://\(used)/a/b", "sid=1; Domain=example.com; Path=/; Secure")
            #expect(stored.text.contains(#""outcome":"stored""#), "\(stored.text)")
            #expect(try ingest(live, "https://\(used)/", "h=2; Path=/").status == 200)
            for url in ["https://\(used)/", "https://www.example.com/"] {
                #expect(try header(live, url).text == "sid=1; h=2", "\(url)")
            }
            #expect(try header(live, "https://api.example.com/").text == "sid=1")
            let list = try live.send("GET", "\(Self.store)/cookies").text
            #expect(list.contains(#""domain":"www.example.com""#))
            #expect(!list.contains("203.0.113.7") && !list.contains("2001"))
            let explained = try live.send("GET", "\(Self.store)/explain?url=https://\(used)/").text
            #expect(explained.split(separator: #""sent":true"#).count == 3)
            let batch = try live.send(
                "POST", "\(Self.store)/cookie-header", json: #"{"urls":["https://\#(used)/"]}"#)
            #expect(batch.text.contains("sid=1; h=2"))
            #expect(
                try live.send("GET", "\(Self.store)/cookies?url=https://\(used)/&name=h").text
                    .contains(#""name":"h""#))
            #expect(
                try live.send("GET", "\(Self.store)/document-cookie.js?url=https://\(used)/").text
                    .contains("h=2"))
            #expect(
                try live.send("DELETE", "\(Self.store)/cookies?url=https://\(used)/").text
                    .contains(#""deleted":2"#))
        }
    }

    @Test("the feed of a URL with an address is that of its host: a page, a poll, and a stream")
    func feeds() throws {
        for live in try Self.services() {
            _ = try put(live, "www.example.com", ["203.0.113.7"])
            _ = try ingest(live, "https://203.0.113.7/")
            _ = try ingest(live, "https://www.example.org/", "other=1")
            let jar = "/v1/tenants/acme/jars/alice/changes?url=https://[::ffff:203.0.113.7]/"
            for query in ["", "&wait=5"] {
                let page = try live.send("GET", jar + query).text
                #expect(page.contains(#""domain":"www.example.com""#), "\(page)")
                #expect(!page.contains("www.example.org"))
            }
            let stream = try EventReader(port: live.port, jar, lastEventID: nil, receiveBuffer: nil)
            #expect(try stream.nextData()?.id == 1)
        }
    }

    @Test("an ambiguous feed is refused, and takes no place of those that the tenant may have")
    func ambiguousFeeds() throws {
        let live = try LiveService(
            feed: {
                var settings = FeedSettings()
                (settings.streamsPerTenant, settings.pollsPerTenant) = (1, 1)
                return settings
            }())
        for host in ["a.example.com", "b.example.com"] {
            _ = try put(live, host, ["203.0.113.7"])
        }
        let jar = "/v1/tenants/acme/jars/alice/changes?url=https://203.0.113.7/"
        for _ in 0..<3 {
            for (query, accept) in [
                ("", "*/*"), ("&wait=5", "*/*"), ("", "text/event-stream"),
            ] {
                let answer = try live.send("GET", jar + query, nil, ["Accept": accept])
                #expect(answer.status == 409)
                #expect(answer.slug == "ambiguous-host")
            }
        }
        #expect(live.service.feedCounters.streams == 0)
    }

    @Test("a URL with a zone is no URL, and nothing is stored for it")
    func zones() throws {
        let live = try LiveService()
        _ = try put(live, "www.example.com", ["fe80::1"])
        for host in ["[fe80::1%25eth0]", "[fe80::1%eth0]"] {
            #expect(try ingest(live, "https://\(host)/").status == 422)
        }
        #expect(try header(live, "https://[fe80::1%2525eth0]/").text == "")
    }

    @Test("an address of two hosts is ambiguous until the request says which")
    func ambiguity() throws {
        for live in try Self.services() {
            _ = try put(live, "a.example.com", ["203.0.113.7"])
            _ = try put(live, "b.example.com", ["::ffff:203.0.113.7", "203.0.113.8"])
            let url = "https://203.0.113.7/"
            func isAmbiguous(_ response: RawResponse) -> Bool {
                response.status == 409 && response.slug == "ambiguous-host"
                    && response.text.contains("203.0.113.7")
            }
            #expect(isAmbiguous(try ingest(live, url)))
            #expect(isAmbiguous(try header(live, url)))
            #expect(isAmbiguous(try live.send("GET", "\(Self.store)/explain?url=\(url)")))
            #expect(isAmbiguous(try live.send("GET", "\(Self.store)/cookies?url=\(url)")))
            #expect(isAmbiguous(try live.send("DELETE", "\(Self.store)/cookies?url=\(url)")))
            #expect(
                isAmbiguous(try live.send("GET", "\(Self.store)/document-cookie.js?url=\(url)")))
            #expect(
                isAmbiguous(
                    try live.send(
                        "POST", "\(Self.store)/cookie-header",
                        json: #"{"urls":["https://c.example/","\#(url)"]}"#)))
            #expect(
                isAmbiguous(
                    try live.send(
                        "POST", "\(Self.store)/exchange",
                        json: #"{"url":"\#(url)","status":200,"headers":[]}"#)))
            #expect(
                isAmbiguous(
                    try live.send(
                        "POST", "\(Self.store)/promote",
                        json: #"{"lifetime_seconds":9,"url":"\#(url)"}"#)))
            #expect(
                isAmbiguous(
                    try live.send(
                        "POST", "/v1/tenants/acme/jars/alice/sync",
                        json: #"{"from":"native","to":"webview","filter":{"url":"\#(url)"}}"#)))
            #expect(
                try live.send(
                    "PUT", "\(Self.store)/cookies",
                    json: #"{"name":"a","value":"1","domain":"203.0.113.7"}"#
                ).text.contains(#""reason":"ambiguous-host""#))
            #expect(
                try ingest(live, url, extra: #","origin_host":"b.example.com""#).status == 200)
            #expect(
                try ingest(live, url, "o=1", extra: #","original_url":"https://b.example.com/""#)
                    .status == 200)
            #expect(try header(live, url, "&origin_host=b.example.com").text == "sid=1; o=1")
            #expect(try header(live, url, "&origin_host=a.example.com").text == "")
            // The host's other address is its own, and one host fewer leaves no doubt.
            #expect(try header(live, "https://203.0.113.8/").text == "sid=1; o=1")
            _ = try live.send("DELETE", "\(Self.hosts)/a.example.com")
            #expect(try header(live, url).text == "sid=1; o=1")
        }
    }

    @Test("a table that changes counts for the very next request")
    func change() throws {
        let live = try LiveService()
        let url = "https://203.0.113.7/"
        _ = try ingest(live, url, "old=1")
        #expect(try header(live, url).text == "old=1")
        _ = try put(live, "www.example.com", ["203.0.113.7"])
        #expect(try header(live, url).text == "")
        _ = try ingest(live, url, "new=1")
        #expect(try header(live, "https://www.example.com/").text == "new=1")
        // What was there before stays where it was until somebody moves it.
        let moved = try live.send(
            "POST", "\(Self.store)/rewrite-domain",
            json: #"{"from":"::ffff:203.0.113.7","to":"www.example.com"}"#)
        #expect(moved.text.contains(#""outcome":"rewritten""#))
        #expect(try header(live, url).text == "old=1; new=1")
        _ = try put(live, "www.example.com", ["203.0.113.8"])
        #expect(try header(live, url).text == "")
        #expect(try header(live, "https://203.0.113.8/").text == "old=1; new=1")
    }

    @Test("cookies that are put or imported with an address belong to its host")
    func finishedCookies() throws {
        let live = try LiveService()
        _ = try put(live, "www.example.com", ["203.0.113.7"])
        _ = try live.send(
            "PUT", "\(Self.store)/cookies",
            json: #"{"name":"p","value":"1","domain":".203.0.113.7"}"#)
        let line = "203.0.113.7\tFALSE\t/\tFALSE\t0\ti\t2\n"
        _ = try live.send(
            "POST", "\(Self.store)/import?format=netscape", Array(line.utf8), type: "text/plain")
        #expect(try header(live, "https://203.0.113.7/").text == "p=1; i=2")
        #expect(
            try !live.send("GET", "\(Self.store)/cookies").text.contains("203.0.113.7"))
    }

    @Test("a redirect to the host's own address stays on its site and takes its cookies")
    func redirects() throws {
        for live in try Self.services() {
            _ = try put(live, "www.example.com", ["203.0.113.7"])
            _ = try put(live, "other.example.org", ["203.0.113.7", "203.0.113.9"])
            let answer = try live.send(
                "POST", "\(Self.store)/exchange",
                json: #"""
                    {"url":"https://203.0.113.7/login","origin_host":"www.example.com","status":302,
                    "headers":[["Set-Cookie","s=1; SameSite=Strict; Path=/"],
                    ["Location","https://203.0.113.7/home"]]}
                    """#)
            #expect(answer.text.contains(#""cookie":"s=1""#), "\(answer.text)")
            #expect(answer.text.contains(#""same_site_context":"strict""#))
            let away = try live.send(
                "POST", "\(Self.store)/exchange",
                json: #"""
                    {"url":"https://www.example.com/","status":302,
                    "headers":[["Location","https://203.0.113.9/home"]]}
                    """#)
            #expect(away.text.contains(#""cookie":"""#))
            #expect(away.text.contains(#""same_site_context":"lax""#))
        }
    }

    @Test("a page at an address is of its host's site, for the accept policy")
    func acceptPolicy() throws {
        let live = try LiveService()
        _ = try put(live, "www.example.com", ["203.0.113.7"])
        _ = try live.send(
            "PUT", Self.store, json: #"{"accept_policy":"only_from_main_document"}"#)
        #expect(
            try ingest(
                live, "https://api.example.com/",
                extra: #","main_document_url":"https://203.0.113.7/""#
            ).text.contains("stored"))
        #expect(
            try ingest(
                live, "https://api.example.org/",
                extra: #","main_document_url":"https://203.0.113.7/""#
            ).text.contains("accept-policy"))
    }

    @Test("another tenant's table says nothing")
    func isolation() throws {
        let live = try LiveService()
        _ = try live.send(
            "PUT", "/v1/tenants/other/hosts/www.example.com",
            json: #"{"addresses":["203.0.113.7"]}"#)
        _ = try ingest(live, "https://203.0.113.7/")
        #expect(
            try live.send("GET", "\(Self.store)/cookies").text.contains(
                #""domain":"203.0.113.7""#))
    }
}
