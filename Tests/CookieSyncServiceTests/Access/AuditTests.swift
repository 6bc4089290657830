// SPDX-License-Identifier: Apache-2.0

import AuditLog
import CookieSyncWire
import FoundationEssentials
import Glibc
import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("What is done is written down before it is answered")
struct AuditTests {
    private let directory: TemporaryDirectory
    private let trail: AuditTrail
    private let key: AuditKey
    private let cookies = "/v1/tenants/acme/jars/j/stores/s/cookies"
    private let cookie = #"{"name":"sid","value":"s3cret","domain":"a.example"}"#

    init() throws {
        directory = try TemporaryDirectory()
        key = try #require(AuditKey(secret: [1, 2, 3]))
        trail = try AuditTrail(
            path: directory.file("audit.log"), key: key, maximumBytes: 1 << 20, now: 0)
    }

    private func service(full: Bool = false) throws -> LiveService {
        try LiveService.secured(audit: trail) {
            $0.failedLoginsPerMinute = 1000
            $0.auditsEverything = full
        }
    }

    private func text() throws -> String {
        String(
            decoding: try Data(contentsOf: URL(filePath: directory.file("audit.log"))),
            as: UTF8.self)
    }

    private func actions() throws -> [String] {
        try text().split(separator: "\n").map { line in
            let members = try JSONDocument(parsing: Array(line.utf8)).root.members()
            func member(_ name: String) -> String {
                let value = members.first { $0.name == Array(name.utf8) }?.value
                return (try? value?.string()).flatMap { $0 }.map {
                    String(decoding: $0, as: UTF8.self)
                } ?? "-"
            }
            return "\(member("action")) \(member("actor")) \(member("tenant")) \(member("token"))"
        }
    }

    @Test("tenants, tokens and settings always, by whom and to what; cookies not unless asked for")
    func always() throws {
        let live = try service()
        let token = try live.mint("read write values admin")
        try live.send("PUT", cookies, as: token.token, json: cookie)
        try live.send("GET", cookies, as: token.token)
        try live.send(
            "PUT", "/v1/tenants/acme/jars/j/stores/s", as: token.token,
            json: #"{"accept_policy":"never"}"#)
        try live.send("GET", "/v1/tenants/acme/tokens", as: token.token)
        try live.send("POST", "/v1/tenants/acme/tokens/\(token.id)/rotate", as: token.token)
        try live.asAdmin("DELETE", "/v1/tenants/acme/tokens/\(token.id)")
        try live.asAdmin("DELETE", "/v1/tenants/acme")
        #expect(
            try actions() == [
                "putTenant admin acme -", "createToken admin acme \(token.id)",
                "putStore \(token.id) acme -", "rotateToken \(token.id) acme \(token.id)",
                "deleteToken admin acme \(token.id)", "deleteTenant admin acme -",
            ])
        let text = try text()
        #expect(!text.contains("s3cret") && !text.contains(token.token.suffix(20)))
        trail.close()
        #expect(try AuditTrail.verify(path: directory.file("audit.log"), key: key) == 6)
    }

    @Test("with `full`, every write and every read of values")
    func full() throws {
        let live = try service(full: true)
        let token = try live.mint("read write values feed")
        let store = "/v1/tenants/acme/jars/j/stores/s"
        try live.send("PUT", cookies, as: token.token, json: cookie)
        for target in [
            cookies, "\(store)/cookie-header?url=http://a.example/",
            "\(store)/explain?url=http://a.example/", "\(store)/export?format=netscape",
            "/v1/tenants/acme/jars/j/changes", "/v1/tenants/acme/jars",
        ] {
            #expect(try live.send("GET", target, as: token.token).status == 200)
        }
        try live.send("DELETE", "\(cookies)?all=true", as: token.token)
        #expect(
            try Array(actions().dropFirst(2))
                == [
                    "putCookies", "listCookies", "getCookieHeader", "explainCookies",
                    "exportCookies",
                    "listChanges", "deleteCookies",
                ].map { "\($0) \(token.id) acme -" })
        #expect(!(try text().contains("s3cret")))
    }

    @Test(
        "a file that is answered line by line is recorded with what came of it, before it is told",
        arguments: [(nil, 200), (.full, 507)] as [(JarStorageError?, Int)])
    func lines(_ error: JarStorageError?, status: Int) throws {
        let storage: any JarStorage = error.map { FailingStorage($0) } ?? MemoryJarStorage()
        let catalogue = MemoryTenantCatalogue()
        let token = try LiveService.secured(catalogue: catalogue).mint("write")
        let live = try LiveService.secured(
            tenants: [], storage: storage, catalogue: catalogue, audit: trail
        ) { $0.auditsEverything = true }
        let fields = [
            "Accept": "application/x-ndjson", "Authorization": "Bearer \(token.token)",
        ]
        let file = "a.example\tFALSE\t/\tFALSE\t0\tsid\ts3cret\n"
        let answer = try live.send(
            "POST", "/v1/tenants/acme/jars/j/stores/s/import?format=netscape", Array(file.utf8),
            type: "text/plain", fields)
        #expect(answer.status == status)
        #expect(try actions().last == "importCookies \(token.id) acme -")
        #expect(try text().split(separator: "\n").last?.contains("\"status\":\(status)") == true)
    }

    @Test(
        "T16: guessed ids are all 404 and guessed tokens 429 from the limit on, with one line for each burst"
    )
    func bursts() throws {
        let live = try LiveService.secured(tenants: ["acme", "other"], audit: trail) {
            $0.failedLoginsPerMinute = 10
        }
        let token = try live.mint("read values", #","jars":["mine"]"#)
        let before = try actions().count
        for index in 0..<500 {
            let tenant = index % 2 == 0 ? "acme" : "other"
            let target = "/v1/tenants/\(tenant)/jars/j\(index)/stores/s/cookies"
            #expect(try live.send("GET", target, as: token.token).status == 404)
        }
        #expect(
            try live.send("DELETE", "/v1/tenants/acme/jars/mine", as: token.token).status == 403)
        #expect(try actions().dropFirst(before) == ["accessRefused \(token.id) acme -"])
        let guesses = try (0..<500).map { _ in
            let guess = TokenText.compose(TokenText.randomID(), TokenText.randomSecret()).bytes
            return try live.send(
                "GET", "/v1/tenants/acme/jars", as: String(decoding: guess, as: UTF8.self)
            ).status
        }
        #expect(guesses == Array(repeating: 401, count: 10) + Array(repeating: 429, count: 490))
        #expect(
            try actions().dropFirst(before) == [
                "accessRefused \(token.id) acme -", "loginsRefused anyone - -",
            ])
    }

    @Test("guesses count towards the rate of the token that makes them")
    func guessRate() throws {
        let live = try service()
        let token = try live.mint("read values", #","jars":["mine"],"requests_per_second":1"#)
        var statuses: Set<Int> = []
        for index in 0..<100 where !statuses.contains(429) {
            let target = "/v1/tenants/other/jars/j\(index)/stores/s/cookies"
            statuses.insert(try live.send("GET", target, as: token.token).status)
        }
        #expect(statuses == [404, 429])
    }

    @Test(
        "a change that no line tells of, as the process ended in between, is written down at the start"
    )
    func recovery() async throws {
        let path = directory.file("audit.log")
        let catalogue = MemoryTenantCatalogue()
        func live(_ tenants: [String] = []) throws -> LiveService {
            let again = try AuditTrail(path: path, key: key, maximumBytes: 1 << 20, now: 0)
            return try LiveService.secured(tenants: tenants, catalogue: catalogue, audit: again)
        }
        trail.close()
        let first = try live(["acme", "other"])
        let token = try first.mint("read admin")
        try first.asAdmin(
            "POST", "/v1/tenants/acme/tokens/\(token.id)/rotate", json: #"{"overlap_seconds":60}"#)
        // What is refused, and the use of a token, change nothing.
        #expect(try first.asAdmin("DELETE", "/v1/tenants/acme/tokens/000000000000").status == 404)
        #expect(try first.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 200)
        first.service.audit?.close()
        let count = try actions().count
        try live().service.audit?.close()
        #expect(try actions().count == count)
        let id = try #require(TokenID(Array(token.id.utf8)))
        let tenant = try #require(TenantID("acme".utf8))
        await withCheckedContinuation { done in
            catalogue.write(
                operation: { $0.apply(.removeToken(id, of: tenant)) },
                completion: { (_: Result<Void, JarStorageError>) in done.resume() })
        }
        for _ in 0..<2 {
            try live().service.audit?.close()
            #expect(try actions().count == count + 1)
            #expect(try actions().last == "catalogueRecovered service - -")
        }
        #expect(try AuditTrail.verify(path: path, key: key) == count + 1)
    }

    @Test("from the first record on that cannot be written, nothing is done any more, until it can")
    func obstacle() async throws {
        // Each line fills the file, and what it is to be renamed to is in the way.
        let path = directory.file("small.log")
        let small = try AuditTrail(path: path, key: key, maximumBytes: 1, now: 0)
        let catalogue = MemoryTenantCatalogue()
        let live = try LiveService.secured(catalogue: catalogue, audit: small)
        let place = "\(path).000000000001"
        mkdir(place, 0o700)
        func put(_ tenant: String) throws -> RawResponse {
            try live.asAdmin("PUT", "/v1/tenants/\(tenant)")
        }
        #expect(try put("first").slug == "outcome-unknown")
        #expect(try put("second").slug == "unavailable")
        #expect(catalogue.state.tenants.map(\.tenant.description) == ["acme", "first"])
        rmdir(place)
        #expect(try await eventually { !small.isStopped })
        #expect(try put("second").status == 201)
        small.close()
        #expect(try AuditTrail.verify(path: path, key: key) == 3)
    }

    @Test("while it cannot be written, nothing is changed, and reads go on")
    func stopped() async throws {
        let live = try service()
        let token = try live.mint("read write values").token
        trail.close()
        #expect(try live.asAdmin("PUT", "/v1/tenants/other").status == 503)
        let settings = try live.send(
            "PUT", "/v1/tenants/acme/jars/j/stores/s", as: token,
            json: #"{"accept_policy":"never"}"#)
        #expect(settings.status == 503 && settings.slug == "outcome-unknown")
        #expect(try live.send("GET", cookies, as: token).status == 200)
        #expect(try live.send("GET", "/healthz").status == 200)
    }
}
