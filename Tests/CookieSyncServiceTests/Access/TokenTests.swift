// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Tokens of tenants")
struct TokenTests {
    private let tokens = "/v1/tenants/acme/tokens"
    private let store = "/v1/tenants/acme/jars/j/stores/s"
    private let cookie = #"{"name":"sid","value":"s3cret","domain":"a.example"}"#

    @Test("a token is shown once, and listed without its secret")
    func minting() throws {
        let live = try LiveService.secured()
        let answer = try live.asAdmin(
            "POST", tokens,
            json: #"{"name":"worker","scopes":["write","read"],"jars":["j"],"stores":["s"]}"#)
        #expect(answer.status == 201)
        let token = try #require(try answer.text("token"))
        let id = try #require(try answer.text("id"))
        #expect(token.hasPrefix("csk_tenant_\(id)_"))
        for target in [tokens, "\(tokens)/\(id)"] {
            let shown = try live.asAdmin("GET", target)
            #expect(shown.status == 200)
            #expect(shown.text.contains(#""prefix":"csk_tenant_\#(id)""#))
            #expect(shown.text.contains(#""scopes":["read","write"],"jars":["j"],"stores":["s"]"#))
            #expect(shown.text.contains(#""expires_at":"2027-02-28T12:00:00Z""#))
            #expect(shown.text.contains(#""last_used_at":null"#))
            #expect(!shown.text.contains(token.suffix(20)))
        }
        #expect(try live.send("GET", store, as: token).status == 404)
        live.clock.advance(seconds: 60)
        #expect(
            try live.asAdmin("GET", "\(tokens)/\(id)").text("last_used_at")
                == "2026-11-30T12:00:00Z")
    }

    @Test(
        "a token that breaks a rule is not made",
        arguments: [
            (#"{"scopes":["read"]}"#, "/name"), (#"{"name":"","scopes":["read"]}"#, "/name"),
            (#"{"name":"a\nb","scopes":["read"]}"#, "/name"), (#"{"name":"a"}"#, "/scopes"),
            (#"{"name":"a","scopes":[]}"#, "/scopes"),
            (#"{"name":"a","scopes":["root"]}"#, "/scopes/0"),
            (#"{"name":"a","scopes":["Read"]}"#, "/scopes/0"),
            (#"{"name":"a","scopes":["read","read"]}"#, "/scopes/1"),
            (#"{"name":"a","scopes":["read"],"jars":["a/b"]}"#, "/jars/0"),
            (#"{"name":"a","scopes":["read"],"stores":["a","a"]}"#, "/stores/1"),
            (
                #"{"name":"a","scopes":["read"],"expires_in_seconds":31536001}"#,
                "/expires_in_seconds"
            ),
            (#"{"name":"a","scopes":["read"],"expires_in_seconds":0}"#, "/expires_in_seconds"),
            (#"{"name":"a","scopes":["read"],"tenant":"b"}"#, "/tenant"),
            (#"{"name":"a","scopes":["read"],"id":"0aB3dE6gH9jK"}"#, "/id"),
            (#"{"name":"a","scopes":["read"],"requests_per_second":0}"#, "/requests_per_second"),
        ])
    func refusals(_ body: String, _ pointer: String) throws {
        let live = try LiveService.secured()
        let answer = try live.asAdmin("POST", tokens, json: body)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
        #expect(try live.asAdmin("GET", tokens).text == #"{"tokens":[]}"#)
    }

    @Test("without `values`, cookies are shown without their values")
    func blindness() throws {
        let live = try LiveService.secured()
        let all = try live.mint("read write values feed").token
        let blind = try live.mint("read write feed").token
        let put = try live.send("PUT", "\(store)/cookies", as: blind, json: cookie)
        #expect(put.status == 200 && put.text.contains("\"sid\"") && !put.text.contains("s3cret"))
        let ingest = try live.send(
            "POST", "\(store)/ingest", as: blind,
            json: #"{"url":"https://a.example/","headers":[["Set-Cookie","t=s3cret"]]}"#)
        #expect(ingest.status == 200 && !ingest.text.contains("s3cret"))
        for target in [
            "\(store)/cookies", "\(store)/explain?url=https://a.example/",
            "/v1/tenants/acme/jars/j/changes",
        ] {
            let seen = try live.send("GET", target, as: all)
            #expect(seen.status == 200 && seen.text.contains(#""value":"s3cret""#), "\(target)")
            let unseen = try live.send("GET", target, as: blind)
            #expect(unseen.status == 200 && unseen.text.contains("\"sid\""), "\(target)")
            #expect(
                !unseen.text.contains("s3cret") && !unseen.text.contains("\"value"), "\(target)")
        }
    }

    @Test("a token of one jar and one store sees no other")
    func lists() throws {
        let live = try LiveService.secured()
        let all = try live.mint("read write values feed").token
        for (jar, name) in [("j", "s"), ("j", "t"), ("k", "s")] {
            let put = "/v1/tenants/acme/jars/\(jar)/stores/\(name)/cookies"
            #expect(try live.send("PUT", put, as: all, json: cookie).status == 200)
        }
        let some = try live.mint(
            "read write values feed", #","jars":["j","absent"],"stores":["s","u"]"#
        ).token
        let header = "cookie-header?url=http://a.example/"
        #expect(try live.send("GET", "\(store)/\(header)", as: some).status == 200)
        let hidden = try live.send(
            "GET", "/v1/tenants/acme/jars/k/stores/s/\(header)", as: some)
        let absent = try live.send("GET", "/v1/tenants/acme/jars/x/stores/s/\(header)", as: some)
        #expect(hidden.status == 404 && hidden.withoutInstance == absent.withoutInstance)
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars/j/stores/t/\(header)", as: some).status
                == 404)
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars", as: some).text
                == #"{"jars":[{"name":"j","revision":2}],"next_cursor":null}"#)
        let jar = try live.send("GET", "/v1/tenants/acme/jars/j", as: some)
        #expect(jar.text.contains(#""stores":[{"name":"s","cookie_count":1}]"#))
        let changes = try live.send("GET", "/v1/tenants/acme/jars/j/changes", as: some)
        #expect(changes.text.contains(#""store":"s""#) && !changes.text.contains(#""store":"t""#))
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars/j/changes?store=t", as: some).status == 404)
        for pair in [("s", "t"), ("t", "s")] {
            let sync = try live.send(
                "POST", "/v1/tenants/acme/jars/j/sync", as: some,
                json: #"{"from":"\#(pair.0)","to":"\#(pair.1)"}"#)
            #expect(sync.status == 404)
        }
        let sync = #"{"from":"s","to":"u"}"#
        #expect(
            try live.send("POST", "/v1/tenants/acme/jars/j/sync", as: some, json: sync).status
                == 200)
        #expect(try live.send("DELETE", "/v1/tenants/acme/jars/j", as: some).status == 403)
        #expect(
            try live.send("POST", "/v1/tenants/acme/jars/j/end-session", as: some).status == 403)
        #expect(try live.send("GET", "/v1/tenants/acme/jars/j/stores/t", as: all).status == 200)
    }

    @Test("nobody gives more than they have")
    func widening() throws {
        let live = try LiveService.secured()
        let giver = try live.mint(
            "admin read", #","jars":["j"],"stores":["s"],"expires_in_seconds":1000"#)
        func give(_ body: String) throws -> Int {
            try live.send("POST", tokens, as: giver.token, json: body).status
        }
        let own = #""jars":["j"],"stores":["s"]"#
        #expect(try give(#"{"name":"a","scopes":["read"],\#(own)}"#) == 201)
        #expect(
            try give(#"{"name":"a","scopes":["read"],\#(own),"expires_in_seconds":1000}"#) == 201)
        #expect(
            try give(#"{"name":"a","scopes":["read"],\#(own),"expires_in_seconds":1001}"#) == 403)
        #expect(try give(#"{"name":"a","scopes":["values"],\#(own)}"#) == 403)
        #expect(try give(#"{"name":"a","scopes":["metrics"],\#(own)}"#) == 403)
        #expect(try give(#"{"name":"a","scopes":["read"],"stores":["s"]}"#) == 403)
        #expect(try give(#"{"name":"a","scopes":["read"],"jars":["j"],"stores":["t"]}"#) == 403)
        #expect(try give(#"{"name":"a","scopes":["read"],"jars":["j","k"],"stores":["s"]}"#) == 403)
        let wide = try live.mint("read write values")
        #expect(
            try live.send("POST", "\(tokens)/\(wide.id)/rotate", as: giver.token, json: "{}").status
                == 403)
        #expect(try live.send("GET", store, as: wide.token).status == 404)
        #expect(try live.send("DELETE", "\(tokens)/\(wide.id)", as: giver.token).status == 204)
        #expect(try live.send("GET", store, as: wide.token).status == 401)
    }

    @Test("a revoked token is refused on the very connection, whatever the clock says")
    func revocation() throws {
        let live = try LiveService.secured()
        let token = try live.mint("read")
        #expect(try live.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 200)
        #expect(try live.asAdmin("DELETE", "\(tokens)/\(token.id)").status == 204)
        #expect(try live.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 401)
        live.clock.advance(seconds: -1_000_000)
        #expect(try live.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 401)
        #expect(try live.asAdmin("DELETE", "\(tokens)/\(token.id)").status == 404)
    }

    @Test("a token ends when it says so")
    func expiry() throws {
        let live = try LiveService.secured()
        let token = try live.mint("read", #","expires_in_seconds":60"#).token
        live.clock.advance(seconds: 59)
        #expect(try live.send("GET", "/v1/tenants/acme/jars", as: token).status == 200)
        live.clock.advance(seconds: 1)
        let late = try live.send("GET", "/v1/tenants/acme/jars", as: token)
        let never = try live.send("GET", "/v1/tenants/acme/jars", as: nil)
        #expect(late.status == 401 && late.withoutInstance == never.withoutInstance)
    }

    @Test("a rotation leaves the old secret its overlap, and no earlier one")
    func rotation() throws {
        let live = try LiveService.secured()
        let first = try live.mint("read")
        let rotate = "\(tokens)/\(first.id)/rotate"
        let answer = try live.asAdmin("POST", rotate, json: #"{"overlap_seconds":100}"#)
        #expect(answer.status == 200)
        #expect(try answer.text("overlap_until") == "2026-11-30T12:01:40Z")
        let second = try #require(try answer.text("token"))
        #expect(second.hasPrefix("csk_tenant_\(first.id)_") && second != first.token)
        func status(_ token: String) throws -> Int {
            try live.send("GET", "/v1/tenants/acme/jars", as: token).status
        }
        live.clock.advance(seconds: 99)
        #expect(try status(first.token) == 200)
        #expect(try status(second) == 200)
        live.clock.advance(seconds: 1)
        #expect(try status(first.token) == 401)
        #expect(try status(second) == 200)
        let third = try #require(try live.asAdmin("POST", rotate).text("token"))
        #expect(try status(first.token) == 401)
        #expect(try status(second) == 200)
        let fourth = try #require(
            try live.asAdmin("POST", rotate, json: #"{"overlap_seconds":0}"#).text("token"))
        #expect(try [second, third].map(status) == [401, 401])
        #expect(try status(fourth) == 200)
        #expect(try live.asAdmin("POST", rotate, json: #"{"overlap_seconds":86401}"#).status == 422)
    }

    @Test("a tenant's admin sees the tokens of no other tenant")
    func otherTenants() throws {
        let live = try LiveService.secured(tenants: ["acme", "other"])
        let admin = try live.mint("admin read").token
        let other = try live.mint("read", of: "other")
        for method in ["GET", "DELETE"] {
            let foreign = try live.send(method, "\(tokens)/\(other.id)", as: admin)
            let absent = try live.send(method, "\(tokens)/000000000000", as: admin)
            #expect(foreign.status == 404 && foreign.withoutInstance == absent.withoutInstance)
        }
        #expect(
            try live.send("POST", "\(tokens)/\(other.id)/rotate", as: admin).status == 404)
        #expect(try live.send("GET", "/v1/tenants/other/tokens", as: admin).status == 404)
        #expect(try live.send("GET", "/v1/tenants/other/jars", as: other.token).status == 200)
        #expect(!(try live.send("GET", tokens, as: admin).text.contains(other.id)))
    }

    @Test("a tenant has a hundred tokens at most")
    func quota() throws {
        let live = try LiveService.secured()
        for _ in 0..<100 { _ = try live.mint("read") }
        let answer = try live.asAdmin("POST", tokens, json: #"{"name":"a","scopes":["read"]}"#)
        #expect(answer.status == 507 && answer.slug == "quota-exceeded")
    }

    @Test("tokens are not made where anyone could")
    func openMode() throws {
        let live = try LiveService()
        try live.send("PUT", "/v1/tenants/acme")
        let answer = try live.send("POST", tokens, json: #"{"name":"a","scopes":["read"]}"#)
        #expect(answer.status == 403)
        #expect(try live.send("GET", tokens).status == 403)
    }

    @Test(
        "whatever is wrong with a token, the answer is the same",
        arguments: ["secret", "id", "checksum", "case", "short", "long", "two fields", "query"])
    func sameAnswer(_ fault: String) throws {
        let live = try LiveService.secured()
        let token = try live.mint("read").token
        let other = try live.mint("read").token
        var (target, field) = ("/v1/tenants/acme/jars", "Bearer \(token)")
        switch fault {
        case "secret": field = "Bearer \(other.prefix(24))\(token.dropFirst(24))"
        case "id": field = "Bearer \(token.prefix(11))000000000000\(token.dropFirst(23))"
        case "checksum": field = "Bearer \(token.dropLast(6))000000"
        case "case": field = "Bearer \(token.uppercased())"
        case "short": field.removeLast()
        case "long": field += "a"
        case "query":
            target += "?access_token=\(token)"
            field = "Basic eA=="
        default: field += "\r\nAuthorization: Bearer \(token)"
        }
        let answer = try live.send("GET", target, nil, ["Authorization": field])
        let none = try live.send("GET", "/v1/tenants/acme/jars", as: nil)
        if fault == "two fields" {
            #expect([400, 401].contains(answer.status))
        } else {
            #expect(answer.status == 401 && answer.withoutInstance == none.withoutInstance)
        }
    }

    @Test("wrong tokens are counted, valid ones and missing ones are not")
    func failedLogins() throws {
        let log = RecordingLog()
        let live = try LiveService.secured(log: log, configure: { _ in })
        let token = try live.mint("read").token
        for _ in 0..<20 {
            #expect(try live.send("GET", "/v1/tenants/acme/jars", as: nil).status == 401)
        }
        let wrong = "\(token.dropLast())\(token.hasSuffix("x") ? "y" : "x")"
        let statuses = try (0..<12).map { _ in
            try live.send("GET", "/v1/tenants/acme/jars", as: wrong).status
        }
        #expect(statuses == Array(repeating: 401, count: 10) + [429, 429])
        let limited = try live.send("GET", "/v1/tenants/acme/jars", as: "x")
        #expect(limited["retry-after"] == "60" && limited.slug == "too-many-requests")
        #expect(try live.send("GET", "/v1/tenants/acme/jars", as: token).status == 200)
        #expect(!log.text.contains(token.suffix(20)))
    }
}
