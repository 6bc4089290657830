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
                == #"{"format":"netscape","stored":1,"replaced":1,"unchanged":1,"rejected":2,"results":["#
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

    @Test("a file of 8 MiB is read, one byte more is not")
    func size() throws {
        let title = "# HTTP Cookie File\n"
        let filler = String(repeating: " ", count: (8 << 20) - title.utf8.count)
        #expect(try importFile(title + filler).status == 200)
        #expect(try importFile(title + filler + " ").slug == "body-too-large")
    }

    @Test("a JSON file may have more names and values than a body")
    func manyEntries() throws {
        let entry = #"{"name":"a","value":"1","domain":"a.example","path":"/","secure":true}"#
        let file = "[\(Array(repeating: entry, count: 3000).joined(separator: ","))]"
        #expect(try importFile(file).text.contains(#""stored":1,"replaced":0,"unchanged":2999"#))
    }

    @Test("an absent store gives a file without cookies", arguments: CookieFormat.allCases)
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
