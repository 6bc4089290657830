// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("Metrics and the log of requests")
struct ObservabilityTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a request is a line, with its id, trace and tenant, and nothing of what it asked for")
    func line() throws {
        let service = try Service(data: directory.file("data"))
        #expect(try service.ingest("sid=31d4c0ffee").status == 200)
        _ = try service.process.output.line(containing: #""route":"/v1/tenants/{tenant}/jars/"#)
        let answer = try service.client().request(
            "GET", "\(Service.store)/cookie-header?url=https%3A%2F%2Fwww.example.com%2Fsecret",
            fields: [
                "X-Request-Id": "from-the-client",
                "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            ])
        #expect(answer["x-request-id"] == "from-the-client")
        let line = try service.process.output.line(containing: "from-the-client")
        for part in [
            #""event":"request""#, #""method":"GET""#, #"/stores/{store}/cookie-header""#,
            #""tenant":"acme""#, #""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#,
            #""status":200"#, #""duration_ms":"#, #""bytes_in":"#, #""bytes_out":"#,
        ] {
            #expect(line.contains(part), "\(part)")
        }
        for secret in ["31d4c0ffee", "secret", "alice", "native", "example"] {
            #expect(!line.contains(secret), "\(secret)")
        }
    }

    @Test("probes are logged at debug only, and none are without the log of requests")
    func levels() throws {
        for (arguments, expected) in [
            (["--log-level", "debug"], 3), ([], 2), (["--log-requests", "0"], 0),
        ] {
            let service = try Service(
                data: directory.file("\(expected)"), arguments: arguments)
            #expect(try service.client().request("GET", "/healthz").status == 200)
            #expect(try service.client().request("GET", "/nowhere").status == 404)
            #expect(try service.client().request("GET", "/openapi.yaml").status == 200)
            service.process.signal(SIGTERM)
            let (code, output) = try service.process.waitForExit()
            #expect(code == 0)
            let lines = output.split(separator: "\n")
            #expect(lines.filter { $0.contains(#""event":"request""#) }.count == expected)
            #expect(lines.filter { $0.contains(#""event":"drain""#) }.count == 1)
        }
    }

    @Test(
        "metrics count by the template of the route, and need the token where there is one",
        .timeLimit(.minutes(1)))
    func metrics() throws {
        let service = try Service(data: directory.file("data"))
        #expect(try service.ingest("sid=31d4c0ffee").status == 200)
        #expect(try service.cookieHeader().status == 200)
        let client = try service.client()
        #expect(try client.request("GET", "/v1/tenants/acme/jars/alice/nowhere").status == 404)
        var answer = try client.request("GET", "/metrics")
        // Files are counted when the writer has ended its round, which may be after its answers.
        while !answer.text.contains("\ncookiesync_open_tenants 1") {
            answer = try client.request("GET", "/metrics")
        }
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        for sample in [
            #"cookiesync_http_requests_total{method="none",route="none",code="404"} 1"#,
            #"cookiesync_http_requests_total{method="GET",route="/v1/tenants/{tenant}/jars/{jar}/stores/{store}/cookie-header",code="200"} 1"#,
            "cookiesync_commit_writes_count 1", "cookiesync_cache_hits_total 1",
            #"cookiesync_cookie_changes_total{cause="inserted"} 1"#, "cookiesync_http_connections ",
            "process_open_fds ",
        ] {
            #expect(answer.text.contains("\n\(sample)"), "\(sample)")
        }
        for secret in ["31d4c0ffee", "alice", "acme", "example"] {
            #expect(!answer.text.contains(secret), "\(secret)")
        }
        let token = try directory.write("token", "0123456789abcdef\n")
        let closed = try Service(
            data: directory.file("closed"), arguments: ["--admin-token-file", token])
        #expect(try closed.client().request("GET", "/metrics").status == 401)
        #expect(
            try closed.client().request(
                "GET", "/metrics", fields: ["Authorization": "Bearer 0123456789abcdef"]
            ).status == 200)
    }

    @Test("migrate leaves current data as they are, and does not touch what is being served")
    func migrate() throws {
        let data = directory.file("data")
        let service = try Service(data: data)
        #expect(try service.ingest("sid=31d4").status == 200)
        #expect(try ChildProcess.run(["migrate", "--data-dir", data]).code == 73)
        service.process.signal(SIGTERM)
        #expect(try service.process.waitForExit().code == 0)
        let done = try ChildProcess.run(["migrate", "--data-dir", data])
        #expect(done.code == 0)
        #expect(done.output.contains(#""tenants":1,"migrated":0,"faults":[]}"#))
        #expect(try Service(data: data).cookieHeader().text == "sid=31d4")
        #expect(
            try ChildProcess.run(["migrate", "--data-dir", directory.file("absent")]).code == 78)
    }
}
