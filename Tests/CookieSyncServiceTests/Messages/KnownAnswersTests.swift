// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Answers that are given again")
struct KnownAnswersTests {
    private static let jar = "/v1/tenants/acme/jars/alice"
    private static let store = "\(jar)/stores/native"
    private static let target = "\(store)/cookie-header?url=https://a.example/"

    /// A service whose store has a cookie `sid`, and whose answer about it is given again.
    private func warmed(_ cookie: String = "sid=1; Max-Age=600") throws -> LiveService {
        let live = try LiveService()
        try ingest(cookie, to: live)
        try warm(live)
        return live
    }

    private func ingest(_ cookie: String, to live: LiveService) throws {
        let answer = try live.send(
            "POST", "\(Self.store)/ingest",
            json: #"{"url":"https://a.example/","headers":[["Set-Cookie","\#(cookie)"]]}"#)
        #expect(answer.status == 200)
    }

    /// Asks until the answer is given again, which is from the third time on.
    private func warm(_ live: LiveService, as token: String? = nil) throws {
        let before = live.service.answers.repeats
        for _ in 0..<3 { #expect(try live.send("GET", Self.target, as: token).status == 200) }
        #expect(live.service.answers.repeats == before + 1)
    }

    private func header(_ live: LiveService, _ fields: [String: String] = [:]) throws -> String? {
        try live.send("GET", Self.target, nil, fields).text("cookie")
    }

    @Test("are the same octets, but for the request's id and the date")
    func sameOctets() throws {
        let live = try LiveService()
        try ingest("sid=1; Max-Age=600", to: live)
        let answers = try (0..<4).map { _ in try live.send("GET", Self.target) }
        #expect(live.service.answers.repeats == 2)
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(Set(answers.map { $0["etag"] }).count == 1)
        #expect(Set(answers.map { $0["content-type"] }) == ["application/json"])
        #expect(Set(answers.map { $0["vary"] }) == ["Accept, Accept-Encoding"])
        #expect(Set(answers.map { $0["x-request-id"] }).count == 4)
    }

    @Test(
        "end with whatever changes the jar",
        arguments: [
            ("POST", "/stores/native/ingest", changed("sid=2"), "sid=2"),
            ("POST", "/stores/native/ingest", changed("sid=; Max-Age=0"), ""),
            ("POST", "/stores/native/ingest", changed("b=2; Path=/"), "sid=1; b=2"),
            ("DELETE", "/stores/native/cookies?domain=a.example", nil, ""),
            ("POST", "/stores/native/end-session", "{}", "sid=1"), ("DELETE", "", nil, ""),
            ("DELETE", "/stores/native", nil, ""),
            (
                "POST", "/sync", #"{"from":"web","to":"native","mode":"mirror"}"#, ""
            ),
            (
                "POST", "/stores/native/rewrite-domain",
                #"{"from":"a.example","to":"b.example"}"#, ""
            ),
            ("PUT", "/stores/web", #"{"accept_policy":"never"}"#, "sid=1"),
        ] as [(String, String, String?, String)])
    func writes(method: String, path: String, body: String?, expected: String) throws {
        let live = try LiveService()
        try live.send("PUT", "\(Self.jar)/stores/web", json: "{}")
        try ingest("sid=1; Max-Age=600", to: live)
        try warm(live)
        let answer = try live.send(method, Self.jar + path, body.map { Array($0.utf8) })
        #expect(answer.status < 300, "\(answer.text)")
        // Three times: computed, kept, given again.
        for _ in 0..<3 { #expect(try header(live) == expected) }
    }

    private static func changed(_ cookie: String) -> String {
        #"{"url":"https://a.example/","headers":[["Set-Cookie","\#(cookie)"]]}"#
    }

    @Test("end with the tenant")
    func tenantDeleted() throws {
        let live = try LiveService.secured()
        let token = try live.mint("read write values").token
        try live.send(
            "POST", "\(Self.store)/ingest", as: token, json: Self.changed("sid=1"))
        try warm(live, as: token)
        #expect(try live.asAdmin("DELETE", "/v1/tenants/acme").status == 204)
        #expect(try live.send("GET", Self.target, as: token).status == 401)
        #expect(try live.asAdmin("PUT", "/v1/tenants/acme").status == 201)
        let other = try live.mint("read write values").token
        #expect(try live.send("GET", Self.target, as: other).text("cookie") == "")
    }

    @Test("end when the first of their cookies does, and when the clock goes back")
    func time() throws {
        let live = try LiveService()
        try ingest("sid=1; Max-Age=5", to: live)
        try ingest("long=1; Max-Age=600", to: live)
        try warm(live)
        let start = live.clock.now
        live.clock.set(start.adding(seconds: 4))
        #expect(try header(live) == "sid=1; long=1")
        live.clock.set(start.adding(seconds: 5))
        for _ in 0..<3 { #expect(try header(live) == "long=1") }
        live.clock.set(start)
        for _ in 0..<3 { #expect(try header(live) == "sid=1; long=1") }
    }

    @Test("end with the two minutes in which a cross-site POST has a new cookie")
    func laxUnsafe() throws {
        let live = try LiveService()
        try ingest("sid=1; Max-Age=600", to: live)
        live.clock.advance(seconds: 115)
        let target = "\(Self.target)&same_site_context=lax-unsafe&method=POST"
        for _ in 0..<4 { #expect(try live.send("GET", target).text("cookie") == "sid=1") }
        live.clock.advance(seconds: 6)
        #expect(try live.send("GET", target).text("cookie") == "")
    }

    @Test("are no use of a cookie less than an answer that is made")
    func accesses() throws {
        let live = try LiveService()
        try ingest("sid=1; Max-Age=600", to: live)
        // Asked every second: the use is noted a minute after the last that was.
        for _ in 0..<61 {
            _ = try header(live)
            live.clock.advance(seconds: 1)
        }
        let address = StorageWorld.address("alice", of: "acme")
        let jar = try #require(live.service.storage.cached(address)).state
        var uses: [Timestamp] = []
        jar.stores[StorageWorld.store("native")]?.cookies.forEachAccess { uses.append($1) }
        #expect(uses == [ManualClock().now.adding(seconds: 60)])
    }

    @Test("are told in the form that is asked for")
    func forms() throws {
        let live = try warmed()
        let text = ["Accept": "text/plain"]
        for _ in 0..<3 { #expect(try live.send("GET", Self.target, nil, text).text == "sid=1") }
        for _ in 0..<3 { #expect(try header(live) == "sid=1") }
        let tag = try #require(try live.send("GET", Self.target)["etag"])
        let gzip = try live.send("GET", Self.target, nil, ["Accept-Encoding": "gzip"])["etag"]
        #expect(gzip != tag)
        for held in [tag, "W/\(tag)", "*"] {
            _ = try header(live)
            _ = try header(live)
            let before = live.service.answers.repeats
            let answer = try live.send("GET", Self.target, nil, ["If-None-Match": held])
            #expect(live.service.answers.repeats == before + 1)
            #expect(answer.status == 304 && answer.body.isEmpty && answer["etag"] == tag)
        }
        #expect(try live.send("GET", Self.target, nil, ["Accept": "image/png"]).status == 406)
        #expect(try live.send("HEAD", Self.target)["etag"] == tag)
        #expect(try live.send("GET", "\(Self.target)&x=1").status == 422)
    }

    @Test("go to nobody who may not have them")
    func access() throws {
        let live = try LiveService.secured(tenants: ["acme", "rival"])
        let token = try live.mint("read write values")
        try live.send(
            "POST", "\(Self.store)/ingest", as: token.token, json: Self.changed("sid=1"))
        try warm(live, as: token.token)
        let before = live.service.answers.repeats
        #expect(try live.send("GET", Self.target, as: nil).status == 401)
        #expect(try live.asAdmin("GET", Self.target).status == 403)
        #expect(try live.send("GET", Self.target, as: live.mint("read").token).status == 403)
        let rival = try live.mint("read values", of: "rival").token
        #expect(try live.send("GET", Self.target, as: rival).status == 404)
        let other = try live.mint("read values", #","jars":["bob"]"#).token
        #expect(try live.send("GET", Self.target, as: other).status == 404)
        // They were found and then refused, or the test would show nothing.
        #expect(live.service.answers.repeats == before + 5)
        #expect(
            try live.asAdmin("DELETE", "/v1/tenants/acme/tokens/\(token.id)").status == 204)
        #expect(try live.send("GET", Self.target, as: token.token).status == 401)
    }

    @Test("count towards the limits of whoever asks")
    func limits() throws {
        let live = try LiveService.secured { $0.tokenRequestsPerSecond = 10 }
        let token = try live.mint("read write values").token
        try live.send("POST", "\(Self.store)/ingest", as: token, json: Self.changed("sid=1"))
        let answers = try (0..<30).map { _ in try live.send("GET", Self.target, as: token).status }
        #expect(answers.contains(429))
    }

    @Test("are kept for what is asked for again, in a bounded number of places")
    func places() throws {
        let live = try LiveService()
        try ingest("sid=1; Max-Age=600", to: live)
        for index in 0..<700 {
            let answer = try live.send("GET", "\(Self.target)\(index)")
            #expect(try answer.text("cookie") == "sid=1")
        }
        #expect(live.service.answers.repeats == 0, "nothing was asked twice")
        let long = Self.target + String(repeating: "x", count: 4096)
        for _ in 0..<4 { #expect(try live.send("GET", long).status == 200) }
        #expect(live.service.answers.repeats == 0, "it is too long to be kept")
    }

    @Test("never mix up targets that differ in an octet")
    func targets() throws {
        let live = try warmed()
        try live.send(
            "POST", "/v1/tenants/acme/jars/alicf/stores/native/ingest",
            json: Self.changed("sid=f"))
        let other = Self.target.replacing("alice", with: "alicf")
        for _ in 0..<4 {
            #expect(try live.send("GET", other).text("cookie") == "sid=f")
            #expect(try header(live) == "sid=1")
        }
        // The same jar, in other octets.
        let encoded = Self.target.replacing("alice", with: "%61lice")
        for _ in 0..<4 { #expect(try live.send("GET", encoded).text("cookie") == "sid=1") }
    }

    @Test("never stand for one another, however many share a place")
    func manyTargets() throws {
        let live = try LiveService()
        try ingest("sid=1; Path=/0", to: live)
        for index in 0..<600 {
            // Kept after the second time, in the place of another one.
            for _ in 0..<3 {
                let answer = try live.send("GET", "\(Self.target)\(index % 2)/\(index)")
                #expect(try answer.text("cookie") == (index % 2 == 0 ? "sid=1" : ""))
            }
        }
        #expect(live.service.answers.repeats == 600)
    }
}
