// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import TestSupport
import Testing

@testable import CookieSyncService

/// Tenants A (`acme`) and B (`other`), each with its token, and what A tries with what is B's.
@Suite("One tenant and what is another's")
struct CredentialTests {
    private let live: LiveService
    private let (mine, theirs): (String, String)
    private let store = "/v1/tenants/acme/jars/j/stores/s"
    private let foreign = "/v1/tenants/other/jars/j/stores/s"
    private let cookie = #"{"name":"n","value":"theirs","domain":"a.example"}"#

    init() throws {
        live = try LiveService.secured(tenants: ["acme", "other"])
        mine = try live.mint("read write values feed admin").token
        theirs = try live.mint("read write values feed admin", of: "other").token
        try live.send("PUT", "\(foreign)/cookies", as: theirs, json: cookie)
    }

    @Test("T05: a token that stands elsewhere is none")
    func places() throws {
        for fields in [
            ["Cookie": "access_token=\(mine)"], ["Proxy-Authorization": "Bearer \(mine)"],
            ["X-Authorization": "Bearer \(mine)"], ["X-Api-Key": mine],
        ] {
            #expect(try live.send("GET", "\(store)/cookies", nil, fields).status == 401)
        }
        let form = try live.send(
            "PUT", "\(store)/cookies", Array("access_token=\(mine)".utf8),
            type: "application/x-www-form-urlencoded")
        #expect(form.status == 401)
        #expect(try live.send("GET", "\(store)/cookies?access_token=\(mine)").status == 401)
    }

    @Test("T12: each operation on B's jar is answered as on none, and B's are as they were")
    func foreignJars() throws {
        let before = try live.send("GET", "\(foreign)/cookies", as: theirs).text
        for route in RouteTable.api.routes where route.path.text.contains("{tenant}") {
            func answer(_ tenant: String, _ jar: String) throws -> RawResponse {
                let path = route.path.text.split(separator: "/").map { piece in
                    switch piece {
                    case "{tenant}": tenant
                    case "{jar}": jar
                    case "{store}": "s"
                    default: piece.hasPrefix("{") ? "x" : String(piece)
                    }
                }.joined(separator: "/")
                let json = route.content == .none ? nil : cookie
                return try live.send("\(route.method.name)", "/\(path)", as: mine, json: json)
            }
            guard route.access != .operations else { continue }
            let (there, nowhere) = (try answer("other", "j"), try answer("nobody", "x"))
            #expect(there.status == 404, "\(route.operation)")
            #expect(there.withoutInstance == nowhere.withoutInstance, "\(route.operation)")
        }
        #expect(try live.send("GET", "\(foreign)/cookies", as: theirs).text == before)
        #expect(try live.send("GET", "/v1/tenants/other/jars/j", as: theirs)["etag"] == "\"1\"")
    }

    @Test(
        "T13, T14: a body cannot name a tenant, a jar or a token's rights",
        arguments: ["tenant", "jar", "store", "tenant_id", "id", "scopes"])
    func bodies(_ member: String) throws {
        let single = #"{"name":"n","value":"v","domain":"a.example","\#(member)":"other"}"#
        let plain = #"{"name":"m","value":"v","domain":"a.example"}"#
        for body in [single, "[\(plain),\(single)]", #"{"cookies":[],"\#(member)":"other"}"#] {
            let answer = try live.send("PUT", "\(store)/cookies", as: mine, json: body)
            #expect(answer.status == 422)
        }
        #expect(try live.send("GET", "\(store)/cookies", as: mine).text.contains(#""cookies":[]"#))
    }

    @Test("T15: B's cursor, tag and key mean nothing of B's to A")
    func handles() throws {
        let tag = try #require(
            try live.send(
                "GET", "\(foreign)/cookie-header?url=http://a.example/", as: theirs)["etag"])
        func ask(
            _ method: String, _ target: String, _ fields: [String: String], _ json: String? = nil
        )
            throws -> RawResponse
        {
            var fields = fields
            fields["Authorization"] = "Bearer \(mine)"
            return try live.send(method, target, json.map { Array($0.utf8) }, fields)
        }
        let own = try ask(
            "GET", "\(store)/cookie-header?url=http://a.example/", ["If-None-Match": tag])
        #expect(own.status == 200 && !own.text.contains("theirs"))
        let conditional = try ask("PUT", "\(store)/cookies", ["If-Match": "\"1\""], cookie)
        #expect(conditional.status == 412)
        let ingest = #"{"url":"http://a.example/","headers":[["Set-Cookie","k=theirs"]]}"#
        let key = ["Idempotency-Key": "key", "Authorization": "Bearer \(theirs)"]
        #expect(
            try live.send("POST", "\(foreign)/ingest", Array(ingest.utf8), key).status == 200)
        let other = ingest.replacing("theirs", with: "mine")
        let independent = try ask("POST", "\(store)/ingest", ["Idempotency-Key": "key"], other)
        #expect(independent.status == 200 && !independent.text.contains("theirs"))
        #expect(try ask("GET", "/v1/tenants/acme/jars/j/changes?since=99", [:]).status == 410)
    }

    @Test("T25: no answer to a page of another site invites it, whatever it asks for")
    func foreignPages() throws {
        for route in RouteTable.api.routes {
            let path = route.path.text.split(separator: "/").map {
                $0 == "{tenant}" ? "acme" : $0.hasPrefix("{") ? "x" : String($0)
            }.joined(separator: "/")
            let fields = [
                "Origin": "https://evil.example", "Access-Control-Request-Method": "PUT",
                "Authorization": "Bearer \(mine)",
            ]
            for method in ["OPTIONS", "GET"] {
                let answer = try live.send(method, "/\(path)", nil, fields)
                #expect(answer.fields.allSatisfy { !$0.name.hasPrefix("access-control-") })
            }
        }
    }

    @Test("T27: a name in other letters is 422, in whichever form it is composed")
    func names() throws {
        for name in ["caf%C3%A9", "cafe%CC%81"] {
            let answer = try live.send(
                "PUT", "/v1/tenants/acme/jars/\(name)/stores/s/cookies", as: mine, json: cookie)
            #expect(answer.status == 422)
        }
    }

    @Test("T41: what anyone may ask names no tenant, path or token; figures need a token")
    func openAnswers() throws {
        for path in ["/healthz", "/readyz"] {
            let text = try live.send("GET", path).text
            for word in ["acme", "other", "/", "csk_"] { #expect(!text.contains(word), "\(path)") }
        }
        #expect(try live.send("GET", "/metrics").status == 401)
        let figures = try live.asAdmin("GET", "/metrics")
        #expect(figures.status == 200 && !figures.text.contains("acme"))
    }

    @Test("a token that is limited to some jars or stores does not set up what concerns all")
    func limitedAdmin() throws {
        let rule = #"{"from":"t","to":"s"}"#
        for limit in [#","jars":["j"]"#, #","stores":["s"]"#] {
            let limited = try live.mint("admin read values", limit).token
            for (method, path, body) in [
                ("PUT", "sync-rules/r", rule), ("GET", "sync-rules", nil),
                ("DELETE", "sync-rules/r", nil), ("GET", "hosts", nil),
                ("PUT", "hosts/www.example.com", #"{"addresses":["203.0.113.7"]}"#),
                ("DELETE", "hosts/www.example.com", nil),
            ] {
                let answer = try live.send(
                    method, "/v1/tenants/acme/\(path)", as: limited, json: body)
                #expect(answer.status == 403, "\(method) \(path)")
            }
        }
        #expect(
            try live.send("PUT", "/v1/tenants/acme/sync-rules/r", as: mine, json: rule).status
                == 201)
    }
}
