// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Request ids")
struct RequestIDTests {
    @Test("a client's id is used in the answer, in the problem and in the log")
    func given() throws {
        let log = RecordingLog()
        let live = try LiveService(storage: FailingStorage(.corrupt), log: log)
        let answer = try live.send(
            "DELETE", "/v1/tenants/acme/jars/a", nil, ["X-Request-Id": "client-ID-42"])
        #expect(answer["x-request-id"] == "client-ID-42")
        #expect(try answer.text("instance") == "client-ID-42")
        #expect(log.text.contains("client-ID-42"))
    }

    @Test(
        "an id that could do harm is replaced",
        arguments: ["", "a b", "a_b", "\"", "é", String(repeating: "a", count: 65)])
    func replaced(_ id: String) throws {
        let live = try LiveService()
        let answer = try live.send("GET", "/nothing", nil, ["X-Request-Id": id])
        let given = try #require(answer["x-request-id"])
        #expect(given != id)
        #expect(try answer.text("instance") == "urn:uuid:\(given)")
    }

    @Test("ids made here are UUIDs of version 8, and no two are the same")
    func made() {
        let source = RequestIDSource()
        let ids = (0..<1_000).map { source.next(on: $0 % 70).text }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            let parts = id.split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "8")
            #expect("89ab".contains(parts[3].prefix(1)))
        }
    }

    @Test("64 characters are allowed")
    func longest() throws {
        let id = String(repeating: "a", count: 64)
        let live = try LiveService()
        #expect(try live.send("GET", "/healthz", nil, ["X-Request-Id": id])["x-request-id"] == id)
    }
}
