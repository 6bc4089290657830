// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("The end of a session")
struct SessionTests {
    private let jar = "/v1/tenants/acme/jars/alice"
    private let live: LiveService

    init() throws {
        live = try LiveService()
        for store in ["native", "webview"] {
            try live.send(
                "POST", "\(jar)/stores/\(store)/ingest",
                json: #"""
                    {"url":"https://www.example.com/","headers":[["Set-Cookie","sid=1"],
                    ["Set-Cookie","keep=1; Max-Age=60"]]}
                    """#)
        }
    }

    private func header(_ store: String) throws -> String {
        try live.send(
            "GET", "\(jar)/stores/\(store)/cookie-header?url=https://www.example.com/", nil,
            ["Accept": "text/plain"]
        ).text
    }

    @Test("drops one store's session cookies, and travels nowhere")
    func store() throws {
        let answer = try live.send("POST", "\(jar)/stores/native/end-session")
        #expect(answer.status == 200)
        #expect(answer.text == #"{"deleted":1,"revision":5}"#)
        #expect(try header("native") == "keep=1")
        #expect(try header("webview") == "sid=1; keep=1")
        try live.send("POST", "\(jar)/sync", json: #"{"from":"native","to":"webview"}"#)
        #expect(try header("webview") == "sid=1; keep=1")
        #expect(
            try live.send("POST", "\(jar)/stores/native/end-session").text
                == #"{"deleted":0,"revision":5}"#)
    }

    @Test("drops every store's, and none where there is none")
    func jarWide() throws {
        #expect(
            try live.send("POST", "\(jar)/end-session").text == #"{"deleted":2,"revision":6}"#)
        #expect(try header("native") == "keep=1")
        #expect(try header("webview") == "keep=1")
        #expect(
            try live.send("POST", "/v1/tenants/acme/jars/nobody/end-session").text
                == #"{"deleted":0,"revision":0}"#)
        #expect(
            try live.send("POST", "\(jar)/stores/none/end-session").text
                == #"{"deleted":0,"revision":6}"#)
        #expect(try live.send("GET", "\(jar)/stores/none").status == 404)
    }
}
