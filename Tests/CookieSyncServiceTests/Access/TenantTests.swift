// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Tenants")
struct TenantTests {
    private let tenant = "/v1/tenants/acme"
    private let cookies = "/v1/tenants/acme/jars/j/stores/s/cookies"
    private let cookie = #"{"name":"sid","value":"1","domain":"a.example"}"#

    @Test("are made, described, limited and deleted by the admin token")
    func life() throws {
        let live = try LiveService.secured(tenants: [])
        #expect(try live.asAdmin("GET", tenant).status == 404)
        #expect(
            try live.asAdmin("POST", "\(tenant)/tokens", json: #"{"name":"a","scopes":["read"]}"#)
                .status == 404)
        #expect(try live.asAdmin("PUT", tenant).status == 201)
        #expect(try live.asAdmin("PUT", tenant, json: "{}").status == 200)
        let limits = #"{"limits":{"bytes":1000000,"requests_per_second":50}}"#
        #expect(try live.asAdmin("PUT", tenant, json: limits).status == 200)
        let token = try live.mint("read write values").token
        #expect(try live.send("PUT", cookies, as: token, json: cookie).status == 200)
        let shown = try live.asAdmin("GET", tenant)
        #expect(
            shown.text.contains(#""created_at":"2026-11-30T12:00:00Z","usage":{"jars":1,"bytes":"#))
        #expect(
            shown.text.contains(
                #""tokens":1},"limits":{"bytes":1000000,"requests_per_second":50}}"#))
        #expect(try live.asAdmin("DELETE", tenant).status == 204)
        #expect(try live.asAdmin("GET", tenant).status == 404)
        #expect(try live.send("GET", cookies, as: token).status == 401)
        #expect(try live.asAdmin("PUT", tenant).status == 201)
        let fresh = try live.mint("read").token
        #expect(
            try live.send("GET", "\(tenant)/jars", as: fresh).text
                == #"{"jars":[],"next_cursor":null}"#)
    }

    @Test("appear with their first write where there is no admin token")
    func openMode() throws {
        let live = try LiveService()
        #expect(try live.send("GET", tenant).status == 404)
        try live.send("PUT", cookies, json: cookie)
        let shown = try live.send("GET", tenant)
        #expect(shown.text.contains(#""created_at":null,"usage":{"jars":1,"#))
        #expect(try live.send("DELETE", tenant).status == 204)
        #expect(try live.send("GET", tenant).status == 404)
        #expect(try live.send("GET", cookies).text.contains(#""cookies":[]"#))
    }

    @Test("one that makes too many requests is told to wait, and no other")
    func rates() throws {
        let live = try LiveService.secured(tenants: ["acme", "other"])
        try live.asAdmin("PUT", tenant, json: #"{"limits":{"requests_per_second":1}}"#)
        let token = try live.mint("read").token
        let other = try live.mint("read", of: "other").token
        let slow = try live.mint("read", of: "other", #","requests_per_second":1"#).token
        /// Asks until it is told to wait, or often enough.
        func statuses(_ tenant: String, _ token: String) throws -> Set<Int> {
            var seen: Set<Int> = []
            for _ in 0..<100 where !seen.contains(429) {
                seen.insert(
                    try live.send("GET", "/v1/tenants/\(tenant)/jars", as: token).status)
            }
            return seen
        }
        #expect(try statuses("acme", token) == [200, 429])
        #expect(try statuses("other", other) == [200])
        #expect(try statuses("other", slow) == [200, 429])
        #expect(try live.send("GET", "/healthz").status == 200)
    }

    @Test("one that has used its octets can read and delete, and is told so")
    func quota() throws {
        let live = try LiveService.secured(tenants: ["acme", "other"])
        try live.asAdmin("PUT", tenant, json: #"{"limits":{"bytes":1}}"#)
        let token = try live.mint("read write values").token
        let other = try live.mint("write", of: "other").token
        var statuses: [Int] = []
        for _ in 0..<20 {
            statuses.append(try live.send("PUT", cookies, as: token, json: cookie).status)
        }
        #expect(statuses.first == 200 && statuses.last == 507)
        let refused = try live.send("PUT", cookies, as: token, json: cookie)
        #expect(refused.slug == "quota-exceeded" && refused["retry-after"] == "60")
        #expect(try live.send("GET", cookies, as: token).status == 200)
        #expect(try live.send("DELETE", "\(cookies)?all=true", as: token).status == 200)
        let elsewhere = "/v1/tenants/other/jars/j/stores/s/cookies"
        #expect(try live.send("PUT", elsewhere, as: other, json: cookie).status == 200)
        try live.asAdmin("PUT", tenant, json: #"{"limits":{"bytes":null}}"#)
        #expect(try live.send("PUT", cookies, as: token, json: cookie).status == 200)
    }

    @Test("a deletion that was cut short is finished at the next start")
    func resumption() async throws {
        let catalogue = MemoryTenantCatalogue()
        let storage = MemoryJarStorage()
        let open = try LiveService(storage: storage, catalogue: catalogue)
        try open.send("PUT", cookies, json: cookie)
        let id = try #require(TenantID("acme".utf8))
        await withCheckedContinuation { done in
            catalogue.write(
                operation: {
                    $0.apply(
                        .putTenant(
                            CatalogueTenant(
                                tenant: id, createdAt: .init(seconds: 0), isBeingDeleted: true)))
                }, completion: { _ in done.resume() })
        }
        let live = try LiveService(
            storage: storage, catalogue: catalogue, adminToken: LiveService.adminToken)
        var status = 503
        for _ in 0..<1000 where status == 503 { status = try live.asAdmin("PUT", tenant).status }
        #expect(status == 201)
        #expect(try live.asAdmin("GET", tenant).text.contains(#""usage":{"jars":0"#))
    }

    @Test("settings that break a rule change nothing")
    func refusals() throws {
        let live = try LiveService.secured()
        for (body, pointer) in [
            (#"{"limits":{"bytes":-1}}"#, "/limits/bytes"),
            (#"{"limits":{"bytes":"1"}}"#, "/limits/bytes"),
            (#"{"limits":{"requests_per_second":0}}"#, "/limits/requests_per_second"),
            (#"{"limits":{"jars":1}}"#, "/limits/jars"), (#"{"limits":null}"#, "/limits"),
            (#"{"name":"b"}"#, "/name"),
        ] {
            let answer = try live.asAdmin("PUT", tenant, json: body)
            #expect(answer.status == 422 && answer.pointers == [pointer], "\(body)")
        }
        #expect(try live.asAdmin("PUT", "/v1/tenants/Acme").status == 422)
        #expect(
            try live.asAdmin("GET", tenant).text.contains(
                #""limits":{"bytes":null,"requests_per_second":null}"#))
    }
}
