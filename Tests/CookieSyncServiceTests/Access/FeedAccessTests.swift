// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Who follows a feed, and for how long")
struct FeedAccessTests {
    private let live: LiveService
    private let writer: String
    private let tokens = "/v1/tenants/acme/tokens"
    private let changes = "/v1/tenants/acme/jars/j/changes"

    init() throws {
        live = try LiveService.secured()
        writer = try live.mint("write").token
    }

    private func write(_ value: String, store: String = "s") throws {
        #expect(
            try live.send(
                "PUT", "/v1/tenants/acme/jars/j/stores/\(store)/cookies", as: writer,
                json: #"{"name":"n","value":"\#(value)","domain":"a.example"}"#
            ).status == 200)
    }

    private func follow(_ token: String) throws -> EventReader {
        try EventReader(port: live.port, changes, token: token)
    }

    /// The last event of a stream that ends.
    private func end(of stream: EventReader) throws -> String? {
        while let event = try stream.nextData() {
            if event.name == "end" { return event.data }
        }
        return nil
    }

    @Test("a stream ends with its token", arguments: ["revoke", "rotate", "delete the tenant"])
    func revocation(_ way: String) throws {
        let token = try live.mint("feed values")
        try write("1")
        let stream = try follow(token.token)
        #expect(try stream.nextData()?.name == "change")
        switch way {
        case "revoke": try live.asAdmin("DELETE", "\(tokens)/\(token.id)")
        case "rotate":
            try live.asAdmin(
                "POST", "\(tokens)/\(token.id)/rotate", json: #"{"overlap_seconds":0}"#)
        default: try live.asAdmin("DELETE", "/v1/tenants/acme")
        }
        #expect(try end(of: stream) == #"{"reason":"token","revision":1}"#)
    }

    @Test("a long-poll ends with its token")
    func poll() async throws {
        let token = try live.mint("feed values")
        let client = try RawHTTPClient(port: live.port)
        try client.send(
            "GET \(changes)?wait=50 HTTP/1.1\r\nHost: localhost:\(live.port)\r\n"
                + "Authorization: Bearer \(token.token)\r\n\r\n")
        #expect(try await eventually { live.service.feedCounters.polls == 1 })
        try live.asAdmin("DELETE", "\(tokens)/\(token.id)")
        #expect(try client.readResponse().status == 401)
    }

    @Test(
        "a stream goes on when its token is rotated with an overlap, and ends when the token does")
    func overlap() throws {
        let token = try live.mint("feed values", #","expires_in_seconds":5"#)
        let stream = try follow(token.token)
        try live.asAdmin(
            "POST", "\(tokens)/\(token.id)/rotate",
            json: #"{"overlap_seconds":60,"expires_in_seconds":60}"#)
        try write("1")
        #expect(try stream.nextData()?.name == "change")
        #expect(try end(of: stream) == #"{"reason":"token","revision":1}"#)
    }

    @Test("a stream shows no value and no store that its token may not see, whoever else follows")
    func blindness() throws {
        let all = try follow(try live.mint("feed values").token)
        let blind = try follow(try live.mint("feed", #","stores":["s"]"#).token)
        try write("s3cret", store: "t")
        try write("s3cret", store: "s")
        #expect(try all.nextData()?.data?.contains("s3cret") == true)
        #expect(try all.nextData()?.data?.contains("s3cret") == true)
        let seen = try #require(try blind.nextData()?.data)
        #expect(seen.contains(#""store":"s""#) && !seen.contains("s3cret"))
        let page = try live.send(
            "GET", "\(changes)?wait=1", as: try live.mint("feed", #","stores":["s"]"#).token)
        #expect(page.text.contains(#""store":"s""#) && !page.text.contains("s3cret"))
        #expect(!page.text.contains(#""store":"t""#))
    }
}
