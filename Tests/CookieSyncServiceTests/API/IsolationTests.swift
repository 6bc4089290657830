// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

/// Two tenants with jars and stores of the same names: whatever one does, the other never sees it.
@Suite("Tenants, jars and stores are kept apart")
struct IsolationTests {
    private let live: LiveService

    init() throws {
        live = try LiveService()
        for (tenant, jar, store) in [
            ("a", "j", "s"), ("b", "j", "s"), ("a", "k", "s"), ("a", "j", "t"),
        ] {
            try live.send(
                "POST", Self.store(tenant, jar, store) + "/ingest",
                json: #"""
                    {"url":"https://x.example/","headers":[["Set-Cookie","sid=\#(tenant)\#(jar)\#(store)"]]}
                    """#)
        }
    }

    private static func store(_ tenant: String, _ jar: String, _ store: String) -> String {
        "/v1/tenants/\(tenant)/jars/\(jar)/stores/\(store)"
    }

    private func header(_ tenant: String, _ jar: String, _ store: String) throws -> String {
        try live.send(
            "GET", Self.store(tenant, jar, store) + "/cookie-header?url=https://x.example/", nil,
            ["Accept": "text/plain"]
        ).text
    }

    private func expectOthersUntouched() throws {
        #expect(try header("b", "j", "s") == "sid=bjs")
        #expect(try header("a", "k", "s") == "sid=aks")
        #expect(try header("a", "j", "t") == "sid=ajt")
    }

    @Test("each reads its own")
    func reads() throws {
        #expect(try header("a", "j", "s") == "sid=ajs")
        try expectOthersUntouched()
        #expect(
            try live.send("GET", "/v1/tenants/b/jars").text.contains(
                #"[{"name":"j","revision":1}]"#))
    }

    @Test("no write reaches another")
    func writes() throws {
        let store = Self.store("a", "j", "s")
        try live.send(
            "PUT", "\(store)/cookies", json: #"{"name":"sid","value":"new","domain":"x.example"}"#)
        try expectOthersUntouched()
        try live.send(
            "POST", "\(store)/rewrite-domain", json: #"{"from":"x.example","to":"y.example"}"#)
        try expectOthersUntouched()
        try live.send("DELETE", "\(store)/cookies?all=true")
        try expectOthersUntouched()
        try live.send(
            "POST", "/v1/tenants/a/jars/j/sync", json: #"{"from":"s","to":"u","mode":"mirror"}"#)
        try live.send("DELETE", store)
        try expectOthersUntouched()
        try live.send("DELETE", "/v1/tenants/a/jars/j")
        #expect(try header("a", "j", "t") == "")
        #expect(try header("b", "j", "s") == "sid=bjs")
        #expect(try header("a", "k", "s") == "sid=aks")
    }

    @Test("a cursor of one tenant tells another nothing")
    func cursors() throws {
        let page = try live.send("GET", "/v1/tenants/a/jars?limit=1")
        let cursor = try #require(try page.text("next_cursor"))
        let other = try live.send("GET", "/v1/tenants/b/jars?cursor=\(cursor)")
        #expect(other.text == #"{"jars":[],"next_cursor":null}"#)
    }
}
