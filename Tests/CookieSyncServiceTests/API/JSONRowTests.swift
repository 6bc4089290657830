// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

/// Octets that are no JSON, or JSON that nobody asked for, each as the body of `PUT S/cookies`: refused with the right
/// status, and nothing is stored. `Tests/Access` takes the time of those that are large.
@Suite("Bodies that only look like JSON")
struct JSONRowTests {
    /// What is sent, and what it may be answered with.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let body: [UInt8]
        let statuses: Set<Int>

        init(_ name: String, _ body: [UInt8], _ statuses: Set<Int> = [400]) {
            (self.name, self.body, self.statuses) = (name, body, statuses)
        }

        init(_ name: String, _ text: String, _ statuses: Set<Int> = [400]) {
            self.init(name, Array(text.utf8), statuses)
        }

        var testDescription: String { name }
    }

    private static let document =
        #"{"cookies":[{"name":"sid","value":"v","domain":"example.com"}]}"#

    /// The document with one member more.
    private static func with(_ member: String) -> String {
        #"{"name":"sid","value":"v","domain":"example.com",\#(member)}"#
    }

    /// The document with these octets in its value.
    private static func value(_ octets: [UInt8]) -> [UInt8] {
        Array(#"{"name":"sid","value":""#.utf8) + octets + Array(#"","domain":"example.com"}"#.utf8)
    }

    private static func utf16(_ text: String, littleEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let octets = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return littleEndian ? octets.reversed() : octets
        }
    }

    static let encodings = [
        Row("J02", " "), Row("J03", "{"), Row("J04", document + "x"),
        Row("J05", document + document), Row("J06", Array(document.utf8) + [0]),
        Row("J07", [0xEF, 0xBB, 0xBF] + Array(document.utf8)),
        Row("J08", utf16(document, littleEndian: true)),
        Row("J09", [0xFE, 0xFF] + utf16(document, littleEndian: false)),
        Row("J18", #"{"cookies":[],"zz":"\ud800"}"#), Row("J19", value([0xFF])),
        Row("J20", Array(#"{"cookies":[],"zz":""#.utf8) + [0xFF] + Array(#""}"#.utf8)),
        Row("J21 overlong", value([0xC0, 0xAF])), Row("J21 CESU-8", value([0xED, 0xA0, 0x80])),
        Row("J21 beyond", value([0xF5, 0x80, 0x80, 0x80])),
        Row("J50", value(Array(String(repeating: "\\u0061", count: 174_000).utf8)), [413, 422]),
    ]

    static let grammar =
        [
            Row("J10 object", #"{"cookies":[],}"#), Row("J10 array", #"{"cookies":[1,]}"#),
            Row("J24", #"{"name":"a","name":"b","value":"v","domain":"example.com"}"#),
            Row("J25", #"{"name":"a","\u006eame":"b","value":"v","domain":"example.com"}"#),
        ]
        + ["NaN", "Infinity", "-Infinity"].map { Row("J13 \($0)", with(#""expires":\#($0)"#)) }
        + ["01", "+1", ".5", "1.", "0x10", "1_000", "--1"].map {
            Row("J14 \($0)", with(#""expires":\#($0)"#))
        }
        + [#"\x"#, #"\u12"#, #"\uZZZZ"#, #"\U0041"#].map {
            Row("J16 \($0)", value(Array($0.utf8)))
        }

    static let sizes =
        [
            Row("J29 32 levels", with(#""zz":\#(nested(31))"#), [422]),
            Row("J30 array", String(repeating: "[", count: 100_000)),
            Row("J30 object", String(repeating: #"{"a":"#, count: 100_000)),
            Row(
                "J33", with(#""expires":\#(String(repeating: "1", count: 1_000_000))"#), [400, 413]),
            Row(
                "J39", "{\((0..<100_000).map { #""\#($0)":1"# }.joined(separator: ","))}",
                [413, 422]),
            Row("J40", "[\(Array(repeating: "[]", count: 300_000).joined(separator: ","))]", [413]),
        ]
        + [32, 33, 512, 513].map { Row("J29 \($0 + 1) levels", with(#""zz":\#(nested($0))"#)) }

    static let schema =
        [#""x""#, "1", "null", "true"].map { Row("J38 \($0)", $0, [422]) }
        + [
            Row("J22", value(Array(#"a\u0000b"#.utf8)), [422]),
            Row("J27", with(#""Path":"/""#), [422]),
        ]
        + ["__proto__", "constructor", "$where", "tenant_id", "id", "scopes"].map {
            Row("J28, J52 \($0)", with(#""\#($0)":"x""#), [422])
        }
        + [
            "1e400", "-1e400", "1e99999999", "9223372036854775807", "9223372036854775808",
            "-9223372036854775809", "18446744073709551616", "1.0", "1e2", "1.5",
        ].map { Row("J31, J32, J35 \($0)", with(#""expires":\#($0)"#), [400, 422]) }

    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    @Test(
        "are refused, and nothing of them is stored",
        arguments: encodings + grammar + sizes + schema)
    func refused(_ row: Row) throws {
        let live = try LiveService()
        let store = "/v1/tenants/acme/jars/j/stores/s"
        let answer = try live.send("PUT", "\(store)/cookies", row.body)
        #expect(row.statuses.contains(answer.status), "\(answer.status)")
        #expect(try live.send("GET", "\(store)/cookies").text.contains(#""cookies":[]"#))
    }

    @Test(
        "J44: hosts in other scripts become their A-label or are refused, and are never an ASCII host",
        arguments: [
            "ban\u{212A}.com", "example\u{FF0E}com", "xn--zzz-", "exa\u{200D}mple.com",
            "\u{202E}example.com", "ex\u{AD}ample.com", "b\u{FC}cher.example",
        ])
    func domains(_ domain: String) throws {
        let live = try LiveService()
        let body = #"{"name":"sid","value":"v","domain":"\#(domain)"}"#
        let answer = try live.send(
            "PUT", "/v1/tenants/acme/jars/j/stores/s/cookies", json: body)
        #expect([200, 422].contains(answer.status))
        if answer.status == 200 {
            #expect(answer.text.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test("J26: two names that only look alike are two members, and end nothing")
    func equivalentNames() throws {
        let live = try LiveService()
        let headers = #"{"caf\u00e9":"a=1","cafe\u0301":"b=2","Set-Cookie":["c=3"]}"#
        let answer = try live.send(
            "POST", "/v1/tenants/acme/jars/j/stores/s/ingest",
            json: #"{"url":"https://a.example/","headers":\#(headers)}"#)
        #expect(answer.status == 200 && answer.text.contains(#""name":"c""#))
        #expect(!answer.text.contains(#""name":"a""#))
    }

    @Test("J42: 500 cookies and 1 MiB are taken, one more of either is not", arguments: [0, 1])
    func bounds(_ more: Int) throws {
        let live = try LiveService()
        let cookies = (0..<500 + more).map {
            #"{"name":"n\#($0)","value":"v","domain":"h\#($0).example"}"#
        }
        let target = "/v1/tenants/acme/jars/j/stores/s/cookies"
        let many = try live.send("PUT", target, json: "[\(cookies.joined(separator: ","))]")
        #expect(many.status == (more == 0 ? 200 : 422))
        let long = [UInt8](repeating: 0x20, count: (1 << 20) - 2 + more) + Array("[]".utf8)
        #expect(try live.send("PUT", target, long).status == (more == 0 ? 200 : 413))
    }
}
