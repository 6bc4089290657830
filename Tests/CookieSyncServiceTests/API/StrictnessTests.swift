// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

/// Bodies that are JSON and all the same not what was asked for, on every member and on the bodies of tokens too.
@Suite("Bodies are held to their schema")
struct StrictnessTests {
    private static let store = "/v1/tenants/acme/jars/j/stores/s"
    private static let kinds = [
        "string": #""x""#, "number": "1", "null": "null", "bool": "true", "array": "[]",
        "object": "{}",
    ]

    /// A body's members, each with the kinds of JSON that it may be, and a value that is right.
    struct Body: Sendable, CustomTestStringConvertible {
        let method: String
        let target: String
        let members: [(name: String, kinds: Set<String>, value: String)]

        var testDescription: String { "\(method) \(target)" }

        /// The body with one member's value replaced.
        func text(_ changed: String? = nil, _ value: String = "") -> String {
            let members = members.map { "\"\($0.name)\":\($0.name == changed ? value : $0.value)" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private static let bodies = [
        Body(
            method: "PUT", target: "\(store)/cookies",
            members: [
                ("name", ["string"], #""n""#), ("value", ["string"], #""v""#),
                ("domain", ["string"], #""a.example""#), ("host_only", ["bool"], "true"),
                ("path", ["string"], #""/""#), ("secure", ["bool"], "false"),
                ("http_only", ["bool"], "false"),
                ("same_site", ["string", "null"], "null"),
                ("expires", ["string", "null"], "null"),
            ]),
        Body(
            method: "POST", target: "\(store)/ingest",
            members: [
                ("url", ["string"], #""https://a.example/""#),
                ("headers", ["array", "object"], "[]"), ("http_api", ["bool"], "true"),
                ("same_site_context", ["string"], #""lax""#), ("dry_run", ["bool"], "true"),
            ]),
        Body(
            method: "POST", target: "/v1/tenants/acme/tokens",
            members: [
                ("name", ["string"], #""n""#), ("scopes", ["array"], #"["read"]"#),
                ("jars", ["array"], "[]"), ("stores", ["array"], "[]"),
                ("expires_in_seconds", ["number"], "60"),
                ("requests_per_second", ["number", "null"], "null"),
            ]),
        Body(
            method: "PUT", target: "/v1/tenants/acme", members: [("limits", ["object"], "{}")]),
    ]

    private func send(_ live: LiveService, _ body: Body, _ text: String, _ token: String) throws
        -> RawResponse
    {
        let isManagement = !body.target.contains("/jars/")
        return try live.send(
            body.method, body.target, as: isManagement ? LiveService.adminToken : token, json: text)
    }

    @Test("every member in every wrong kind of JSON is 422 at that member", arguments: bodies)
    func kinds(_ body: Body) throws {
        let live = try LiveService.secured()
        let token = try live.mint("write").token
        #expect(try send(live, body, body.text(), token).status < 300)
        for (name, right, _) in body.members {
            for (kind, value) in Self.kinds where !right.contains(kind) {
                let answer = try send(live, body, body.text(name, value), token)
                #expect(answer.status == 422, "\(name) as \(kind)")
                #expect(answer.pointers.allSatisfy { $0 == "/\(name)" }, "\(name) as \(kind)")
            }
        }
    }

    @Test(
        "numbers where a time belongs, and members that assign what is not the caller's",
        arguments: [
            #""expires":1.0"#, #""expires":1e2"#, #""expires":1.5"#,
            #""expires":9223372036854775807"#, #""expires":18446744073709551616"#,
            #""expires":1e400"#, #""expires":-1e99999"#, #""tenant_id":"b""#, #""id":1"#,
            #""scopes":["admin"]"#, #""Name":"x""#, #""__proto__":{}"#, #""constructor":1"#,
            #""$where":"1""#,
        ])
    func foreignMembers(_ member: String) throws {
        let live = try LiveService.secured()
        let token = try live.mint("read write values").token
        let body = #"{"name":"n","value":"v","domain":"a.example",\#(member)}"#
        let answer = try live.send("PUT", "\(Self.store)/cookies", as: token, json: body)
        #expect(answer.status == 422)
        let rest = try live.send("GET", "\(Self.store)/cookies", as: token)
        #expect(rest.text.contains(#""cookies":[]"#))
    }

    @Test("lengths count octets, at 4096 of name and value")
    func lengths() throws {
        let live = try LiveService()
        func put(_ value: String) throws -> Int {
            try live.send(
                "PUT", "\(Self.store)/cookies",
                json: #"{"name":"n","value":"\#(value)","domain":"a.example"}"#
            ).status
        }
        #expect(try put(String(repeating: "a", count: 4095)) == 200)
        #expect(try put(String(repeating: "a", count: 4096)) == 422)
        #expect(try put(String(repeating: "é", count: 2047)) == 200)
        #expect(try put(String(repeating: "é", count: 2048)) == 422)
    }

    @Test(
        "what would delimit or end a value does not get into one",
        arguments: [
            #""name":"n=\u0338","value":"v""#, #""name":"n","value":"a;\u0301 Domain=evil""#,
            #""name":"n","value":"a\u0000b""#, #""name":"n","value":"a\r\nb""#,
        ])
    func delimiters(_ members: String) throws {
        let live = try LiveService()
        let answer = try live.send(
            "PUT", "\(Self.store)/cookies", json: #"{\#(members),"domain":"a.example"}"#)
        #expect(answer.status == 422)
        #expect(try live.send("GET", "\(Self.store)/cookies").text.contains(#""cookies":[]"#))
    }

    @Test(
        "texts that other languages read are texts",
        arguments: ["'; DROP TABLE cookies;--", "%", "_", "*", #"\\"#])
    func literals(_ text: String) throws {
        let live = try LiveService()
        let put = try live.send(
            "PUT", "\(Self.store)/cookies",
            json: #"{"name":"n","value":"\#(text.replacing(";", with: ","))","domain":"a.example"}"#
        )
        #expect(put.status == 200)
        let encoded = text.utf8.map {
            "%\(String($0 >> 4, radix: 16))\(String($0 & 15, radix: 16))"
        }
        .joined()
        let listed = try live.send("GET", "\(Self.store)/cookies?name=\(encoded)")
        #expect(listed.text.contains(#""cookies":[]"#))
        #expect(try live.send("GET", "\(Self.store)/cookies?name=n").text.contains(#""name":"n""#))
    }
}
