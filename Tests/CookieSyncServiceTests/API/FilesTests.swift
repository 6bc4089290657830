// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Import and export")
struct FilesTests {
    private let stores = "/v1/tenants/acme/jars/alice/stores"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    private func importFile(
        _ text: String, to store: String = "native", format: String? = nil
    ) throws -> RawResponse {
        let query = format.map { "?format=\($0)" } ?? ""
        return try live.send(
            "POST", "\(stores)/\(store)/import\(query)", Array(text.utf8), type: "image/png")
    }

    private func export(_ format: String, of store: String = "native") throws -> RawResponse {
        try live.send("GET", "\(stores)/\(store)/export?format=\(format)")
    }

    @Test("each entry has its verdict, and an expired one leaves what is live alone")
    func verdicts() throws {
        let row = "www.example.com\tFALSE\t/\tFALSE"
        _ = try importFile("\(row)\t0\tsid\tlive\n")
        let answer = try importFile(
            "\(row)\t1000000000\tsid\tstale\n\(row)\t0\tsid\tlive\n\(row)\t0\tn\t1\n\(row)\t0\tn\t2\nx\n"
        )
        #expect(answer.status == 200)
        #expect(
            answer.text
                == #"{"format":"netscape","stored":1,"replaced":1,"unchanged":1,"deleted":0,"evicted":0,"rejected":2,"results":["#
                + #"{"entry":1,"outcome":"rejected","reason":"already-expired"},"#
                + #"{"entry":2,"outcome":"unchanged","reason":null},{"entry":3,"outcome":"stored","reason":null},"#
                + #"{"entry":4,"outcome":"replaced","reason":null},"#
                + #"{"entry":5,"outcome":"rejected","reason":"malformed-entry"}]}"#)
        let list = try live.send("GET", "\(stores)/native/cookies")
        #expect(list.text.contains(#""source":"import""#))
        #expect(list.text.contains(#""value":"live""#))
    }

    @Test("pointers tell the entries of JSON apart")
    func pointers() throws {
        let answer = try importFile(#"[{"name":"a","value":"1","domain":"a.example","x":1},3]"#)
        #expect(answer.text.hasPrefix(#"{"format":"extension","stored":1,"#))
        #expect(
            answer.text.contains(#"{"entry":"/1","outcome":"rejected","reason":"malformed-entry"}"#)
        )
    }

    @Test(
        "a file that is not the format is refused as a whole",
        arguments: [
            ("[{'name':'a'}]", "extension"), ("[{\"domain\":\"a\"}]", "netscape"),
            ("<html></html>", "netscape"), ("", nil), ("<html></html>", nil), ("{}", "playwright"),
        ] as [(String, String?)])
    func wrongFormat(text: String, format: String?) throws {
        let answer = try importFile(text, format: format)
        #expect(answer.status == 422)
        #expect(answer.slug == "unreadable-file")
        #expect(try live.send("GET", "\(stores)/native").status == 404)
    }

    @Test("the format must be one that is known, and an export needs one")
    func formatParameter() throws {
        #expect(try importFile("[]", format: "csv").pointers == ["/query/format"])
        #expect(try export("csv").pointers == ["/query/format"])
        #expect(try live.send("GET", "\(stores)/native/export").pointers == ["/query/format"])
    }

    @Test("a file of more than 64 MiB is refused by its length")
    func size() throws {
        let length = ["Content-Length": String(64 << 20 + 1)]
        let answer = try live.send("POST", "\(stores)/native/import", [], type: nil, length)
        #expect(answer.slug == "body-too-large")
    }

    @Test("a HAR file is replayed in the order of time, each response at its own")
    func recording() throws {
        let entry = { (time: String, line: String) in
            #"{"startedDateTime":"\#(time)","request":{"url":"https://www.example.com/x/y"},"#
                + #""response":{"headers":[{"name":"SET-COOKIE","value":"\#(line)"}]}}"#
        }
        let entries = [
            entry("2026-11-30T11:00:02Z", "sid=2"), entry("2026-11-30T11:00:01Z", "sid=1"),
            entry("2026-11-29T12:00:00Z", "old=1; Max-Age=60"),
            entry("2026-11-30T11:00:00Z", "gone=1"),
            entry("2026-11-30T11:30:00Z", "gone=; Max-Age=0"),
        ]
        let file = #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
        _ = try importFile("www.example.com\tFALSE\t/x\tFALSE\t0\told\tlive\n")
        let answer = try importFile(file)
        #expect(
            answer.text.hasPrefix(
                #"{"format":"har","stored":2,"replaced":1,"unchanged":0,"deleted":1,"evicted":0,"rejected":1"#
            ))
        let header = try live.send(
            "GET", "\(stores)/native/cookie-header?url=https://www.example.com/x/", nil, type: nil,
            ["Accept": "text/plain"])
        #expect(header.text == "old=live; sid=2")
    }

    @Test("an encrypted CookieCloud file is opened by its password only, in both modes")
    func encrypted() throws {
        let salted =
            "U2FsdGVkX18BAgMEBQYHCAnktUQKFhZpkyadDGUw62VeeG699RcRlSxY++LxrJq+IW4Dtx9hje28g10AIz1APF+orZM+9+LfhWezduS4"
            + "VtyZc2AGKPb9yjjaYbSCmkN5H/7asSlG7SLzysHKqwDp3WzrtGQ7ppsUJPEo7FlJ2snRm93SMfMtWMljfV65vph1"
        let fixed =
            "Q0s5W6OOu65aijRomViMEijgrv50gufp4MPcgE8IpwYPW8bBPk4BoXi9OaGmTKdx4Lp507FXvSbaktZRAa9+ICX+9uCesd7UAimKRhJJ"
            + "Q9CAPAjVEzn9VmVZX2IhL9H5fQN52GY+YxCY9t+bxQNv2uif8sVOzfVjtRswz0BEDcc="
        for (file, store) in [
            (#"{"encrypted":"\#(salted)"}"#, "a"),
            (#"{"crypto_type":"aes-128-cbc-fixed","encrypted":"\#(fixed)"}"#, "b"),
        ] {
            let target = "\(stores)/\(store)/import"
            let send = { (fields: [String: String]) in
                try live.send("POST", target, Array(file.utf8), type: nil, fields)
            }
            #expect(try send([:]).slug == "unreadable-file")
            let wrong = ["X-CookieCloud-UUID": "u-1", "X-CookieCloud-Password": "x"]
            #expect(try send(wrong).slug == "unreadable-file")
            let right = ["X-CookieCloud-UUID": "u-1", "X-CookieCloud-Password": "secret"]
            #expect(try send(right).text.hasPrefix(#"{"format":"cookiecloud","stored":1,"#))
        }
    }

    @Test("lines need the URL that answered, and go out for one again")
    func lines() throws {
        let head =
            "HTTP/2 200\r\ndate: x\r\nset-cookie: a=1; Path=/; HttpOnly\r\nset-cookie: d=2; Domain=example.com\r\n\r\n"
        #expect(try importFile(head).pointers == ["/query/url"])
        let target = "\(stores)/native/import?url=https://www.example.com/x/y"
        let answer = try live.send("POST", target, Array(head.utf8), type: nil)
        #expect(answer.text.hasPrefix(#"{"format":"set-cookie","stored":2,"#))
        #expect(try export("set-cookie").pointers == ["/query/url"])
        let file = try export("set-cookie&url=https://www.example.com/")
        #expect(
            file.text
                == "Set-Cookie: a=1; Path=/; HttpOnly\nSet-Cookie: d=2; Domain=example.com; Path=/x\n"
        )
        let other = try export("set-cookie&url=https://other.example.com/")
        #expect(other.text == "Set-Cookie: d=2; Domain=example.com; Path=/x\n")
        #expect(other["x-lost-attributes"]?.hasPrefix("domain") == true)
    }

    @Test("NDJSON has a line for the progress, each result and the counts")
    func ndjson() throws {
        let answer = try live.send(
            "POST", "\(stores)/native/import",
            Array("a.example\tFALSE\t/\tFALSE\t0\tn\tv\nx\n".utf8), type: nil,
            ["Accept": "application/x-ndjson"])
        #expect(answer["content-type"] == "application/x-ndjson")
        #expect(
            answer.text == #"""
                {"progress":{"entries":2,"cookies":1}}
                {"result":{"entry":1,"outcome":"stored","reason":null}}
                {"result":{"entry":2,"outcome":"rejected","reason":"malformed-entry"}}
                {"summary":{"format":"netscape","stored":1,"replaced":0,"unchanged":0,"deleted":0,"evicted":0,"rejected":1}}

                """#)
    }

    @Test("with If-Match the status waits for what the jar says, in lines too")
    func conditionalLines() throws {
        func send(_ tag: String) throws -> (status: Int, text: String) {
            let answer = try live.send(
                "POST", "\(stores)/native/import",
                Array("a.example\tFALSE\t/\tFALSE\t0\tn\tv\n".utf8), type: nil,
                ["Accept": "application/x-ndjson", "If-Match": tag])
            return (answer.status, answer.text)
        }
        #expect(try send(#""7""#).status == 412)
        let stored = try send(#""0""#)
        #expect(stored.status == 200)
        #expect(stored.text.hasPrefix(#"{"progress":{"entries":1,"cookies":1}}"#))
    }

    @Test("what had to make room does not count as stored")
    func evictions() throws {
        let lines = (0..<5000).map { "a\($0 % 200).example\tFALSE\t/\tTRUE\t0\tn\($0)\tv\n" }
        let answer = try importFile(lines.joined())
        let list = try live.send("GET", "\(stores)/native")
        let stored = try #require(answer.text.firstMatch(of: /"stored":(\d+)/)?.1)
        let evicted = try #require(answer.text.firstMatch(of: /"evicted":(\d+)/)?.1)
        #expect(Int(stored).map { $0 + (Int(evicted) ?? 0) } == 5000)
        #expect(list.text.contains(#""cookie_count":\#(stored),"#), "\(list.text)")
        #expect(answer.text.hasSuffix("]}"))
    }

    @Test("a report says what is lost of each cookie, and a property list is written on demand")
    func report() throws {
        let file =
            #"[{"Name":"a","Value":"<&>","Domain":".example.com","Path":"/","Version":"1","Comment":"c","Port":"80,443"}]"#
        _ = try importFile(file)
        let report = try export("netscape&report=json")
        #expect(
            report.text
                == #"{"format":"netscape","written":1,"lost":["legacy","created_at"],"results":[{"name":"a","domain":"example.com","#
                + #""host_only":false,"path":"/","partition_key":null,"written":true,"lost":["legacy","created_at"]}]}"#
        )
        let list = try live.send(
            "GET", "\(stores)/native/export?format=nshttpcookie", nil, type: nil,
            ["Accept": "application/x-plist"])
        #expect(list["content-type"] == "application/x-plist")
        #expect(list.text.contains("<string>&lt;&amp;&gt;</string>"))
        #expect(try importFile(list.text, to: "copy").text.contains(#""stored":1"#))
        #expect(try export("nshttpcookie", of: "copy").body == export("nshttpcookie").body)
        #expect(try export("har").pointers == ["/query/format"])
    }

    @Test("a JSON file may have more names and values than a body")
    func manyEntries() throws {
        let entry = #"{"name":"a","value":"1","domain":"a.example","path":"/","secure":true}"#
        let file = "[\(Array(repeating: entry, count: 3000).joined(separator: ","))]"
        #expect(try importFile(file).text.contains(#""stored":1,"replaced":0,"unchanged":2999"#))
    }

    @Test(
        "an absent store gives a file without cookies",
        arguments: [CookieFormat.netscape, .properties, .extension, .playwright, .cookieCloud])
    func absent(format: CookieFormat) throws {
        let answer = try export(format.rawValue)
        #expect(answer.status == 200)
        #expect(answer["x-lost-attributes"] == nil)
        #expect(
            try importFile(answer.text, format: format.rawValue).text.contains(#""results":[]"#))
    }

    @Test(
        "an export imports again as the same store, but for what is named as lost",
        arguments: [
            (
                "netscape", "text/plain",
                "value, partition_key, same_site, expires_fraction, created_at", 5
            ),
            ("extension", "application/json", "value, created_at", 6),
            ("playwright", "application/json", "value, same_site, created_at", 6),
            ("nshttpcookie", "application/json", "value, created_at", 6),
            ("cookiecloud", "application/json", "value, created_at", 6),
        ])
    func roundTrip(format: String, type: String, lost: String, count: Int) throws {
        try live.send(
            "PUT", "\(stores)/native/cookies",
            json: #"""
                [{"name":"a","value":"%7B\"","domain":".example.com","path":"/x","same_site":"lax"},
                {"name":"","value":"nameless","domain":"www.example.com","http_only":true,"same_site":"strict"},
                {"name":"t","value":"1\t2","domain":"a.example","same_site":"lax"},
                {"name":"p","value":"","domain":"a.example","secure":true,"same_site":"none",
                "partition_key":"https://top.example"},
                {"name":"b","value_base64":"/w==","domain":"a.example"},
                {"name":"e","value":"é","domain":"a.example","expires":"2026-12-30T12:00:00.250Z"},
                {"name":"s","value":"","domain":"a.example","secure":true,"expires":"2026-12-30T12:00:00Z"}]
                """#)
        try live.send(
            "PUT", "\(stores)/native/cookies",
            json:
                #"{"name":"gone","value":"","domain":"a.example","expires":"2026-11-30T12:00:01Z"}"#
        )
        live.clock.advance(seconds: 2)
        let file = try export(format)
        #expect(file["content-type"] == type)
        #expect(file["x-lost-attributes"] == lost)
        let answer = try live.send(
            "POST", "\(stores)/copy/import", file.body, type: "text/plain")
        #expect(answer.text.hasPrefix(#"{"format":"\#(format)","stored":\#(count),"#))
        #expect(answer.text.contains(#""rejected":0"#))
        #expect(try export(format, of: "copy").body == file.body)
    }
}
