// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Who is let in")
struct AccessTests {
    private let target = "/v1/tenants/acme/jars"

    @Test(
        "without an admin token: whoever comes under a loopback name",
        arguments: [
            "localhost", "LOCALHOST:8080", "app.localhost", "127.0.0.1", "127.255.0.9:1", "[::1]",
            "[::1]:80",
        ])
    func loopbackHosts(_ host: String) throws {
        let live = try LiveService()
        #expect(try live.send("GET", target, nil, ["Host": host]).status == 200)
    }

    @Test(
        "without an admin token: nobody under another name (DNS rebinding)",
        arguments: [
            "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil",
            "128.0.0.1",
            "notlocalhost", "[::2]", "0.0.0.0", "127.0.0.1.", "localhost.",
        ])
    func foreignHosts(_ host: String) throws {
        let live = try LiveService()
        for path in [target, "/openapi.yaml", "/nothing"] {
            let answer = try live.send("GET", path, nil, ["Host": host])
            #expect(answer.status == 403)
            #expect(answer.slug == "forbidden")
        }
    }

    @Test(
        "without an admin token: no page of another site",
        arguments: [
            ("Origin", "https://evil.example", 403), ("Origin", "null", 403), ("Origin", "", 403),
            ("Origin", "http://localhost.evil.example", 403),
            ("Origin", "http://evil.example/.localhost", 403),
            ("Origin", "http://evil.example\\.localhost", 403),
            ("Sec-Fetch-Site", "cross-site", 403),
            ("Origin", "http://localhost:3000", 200), ("Origin", "http://127.0.0.1:8080", 200),
            ("Origin", "https://[::1]", 200), ("Sec-Fetch-Site", "same-origin", 200),
            ("Sec-Fetch-Site", "none", 200),
        ])
    func pages(_ field: String, _ value: String, status: Int) throws {
        let live = try LiveService()
        #expect(try live.send("GET", target, nil, [field: value]).status == status)
        let form = try live.send(
            "POST", "\(target)/a/stores/s/ingest",
            json: #"{"url":"https://a.example/","headers":[["Set-Cookie","a=1"]]}"#, [field: value])
        #expect(form.status == status)
    }

    @Test("an absolute target counts, not the Host field beside it")
    func absoluteTarget() throws {
        let live = try LiveService()
        #expect(try live.send("GET", "http://evil.example\(target)").status == 403)
    }

    @Test("HTTP/1.0 without a Host is let in to the probes only")
    func legacy() throws {
        let live = try LiveService()
        #expect(
            try RawHTTPClient(port: live.port).exchange("GET \(target) HTTP/1.0\r\n\r\n").status
                == 403)
        #expect(
            try RawHTTPClient(port: live.port).exchange("GET /healthz HTTP/1.0\r\n\r\n").status
                == 200)
    }

    @Test(
        "with an admin token: who sends it",
        arguments: ["Bearer s3cret-token", "bearer s3cret-token", "BEARER  s3cret-token  "])
    func admin(_ field: String) throws {
        let live = try LiveService(adminToken: "s3cret-token")
        let fields = [
            "Authorization": field, "Host": "cookies.example", "Origin": "https://a.example",
        ]
        #expect(try live.send("PUT", "/v1/tenants/acme", nil, fields).status == 201)
    }

    @Test(
        "with an admin token: nobody else",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Basic eA==", "Token s3cret-token", "Digest s3cret-token",
            "s3cret-token",
            "Bearer s3cret-toke", "Bearer s3cret-tokeN", "Bearer s3cret-token2",
            "Bearer s3cret token",
            "Bearers3cret-token", "Bearer S3CRET-TOKEN",
        ] as [String?])
    func others(_ field: String?) throws {
        let live = try LiveService(adminToken: "s3cret-token")
        let fields = field.map { ["Authorization": $0] } ?? [:]
        let answer = try live.send("GET", target, nil, fields)
        #expect(answer.status == 401)
        #expect(answer.slug == "unauthenticated")
        #expect(answer["www-authenticate"] == "Bearer")
        let body = #"{"url":"https://a.example/","headers":[["Set-Cookie","a=1"]]}"#
        let write = try live.send("POST", "\(target)/a/stores/s/ingest", json: body, fields)
        #expect(write.status == 401)
    }

    @Test("with an admin token: 401 comes before 404, 405, 413, 415 and 422")
    func order() throws {
        let live = try LiveService(adminToken: "s3cret-token")
        let requests: [(String, String, String?)] = [
            ("GET", "/nothing", nil), ("PATCH", target, nil), ("OPTIONS", target, nil),
            ("GET", "\(target)?x=1", nil), ("GET", "/v1/tenants/A/jars", nil), ("GET", "/%00", nil),
            ("PUT", "\(target)/a/stores/s/cookies", "text/plain"),
        ]
        for (method, path, type) in requests {
            let answer = try live.send(method, path, type == nil ? nil : [0x78], type: type)
            #expect(answer.status == 401, "\(method) \(path)")
        }
        let declared = ["Content-Length": "99999999"]
        #expect(
            try live.send("PUT", "\(target)/a/stores/s/cookies", [0x78], declared).status == 401)
        let token = ["access_token", "token"].map { "\(target)?\($0)=s3cret-token" }
        for path in token { #expect(try live.send("GET", path).status == 401) }
    }

    @Test("with an admin token: probes and the description of the API need none")
    func open() throws {
        let live = try LiveService(adminToken: "s3cret-token")
        for path in ["/healthz", "/readyz", "/openapi.yaml"] {
            #expect(try live.send("GET", path, nil, ["Host": "cookies.example"]).status == 200)
            #expect(try live.send("DELETE", path).status == 405)
        }
    }

    @Test("an empty admin token lets nobody in")
    func emptyToken() throws {
        let live = try LiveService(adminToken: "")
        #expect(try live.send("GET", target, nil, ["Authorization": "Bearer "]).status == 401)
    }

    @Test("fields that other services obey have no effect")
    func overrides() throws {
        let live = try LiveService()
        let fields = [
            "X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/healthz", "X-Tenant": "other",
            "X-Forwarded-Host": "evil.example",
        ]
        #expect(
            try live.send("GET", target, nil, fields).text == #"{"jars":[],"next_cursor":null}"#)
    }
}

extension LiveService {
    /// Sends one request with a JSON body and fields.
    @discardableResult
    fileprivate func send(
        _ method: String, _ target: String, _ body: [UInt8], _ fields: [String: String]
    ) throws -> RawResponse {
        try send(method, target, body, type: "application/json", fields)
    }
}
