// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("The life of the process")
struct LifecycleTests {
    @Test(
        "it serves, is alive, ready and well, and SIGTERM, SIGINT and SIGHUP end it with 0",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func serves(signal: Int32) throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        #expect(try service.client().request("GET", "/healthz").status == 200)
        #expect(try service.client().request("GET", "/readyz").status == 200)
        #expect(try ChildProcess.run(["healthcheck", "--port", "\(service.port)"]).code == 0)
        service.process.signal(signal)
        #expect(try service.process.waitForExit().code == 0)
        #expect(try ChildProcess.run(["healthcheck", "--port", "\(service.port)"]).code == 69)
    }

    @Test(
        "a drain says so on readiness, takes no new connection, and finishes the request under way")
    func drain() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        let busy = try service.client()
        let body = #"{"url":"https://www.example.com/","headers":[["Set-Cookie","sid=1"]]}"#
        try busy.send(
            "POST \(Service.store)/ingest HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        try busy.send(String(body.dropLast()))
        let watching = try service.client()
        #expect(try watching.request("GET", "/readyz").status == 200)
        // Half a request, so that the drain finds the connection busy.
        try watching.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        #expect(try service.client().request("GET", "/healthz").status == 200)

        service.process.signal(SIGTERM)
        _ = try service.process.output.line(containing: #""event":"drain""#)
        try watching.send("\r\n")
        #expect(try watching.readResponse().status == 503)
        #expect(refusesConnections(service), "the listener is still there")
        try busy.send("}")
        let answer = try busy.readResponse()
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""stored""#))
        #expect(try service.process.waitForExit().code == 0)

        let again = try Service(data: "\(directory.path)/data")
        #expect(try again.cookieHeader().text == "sid=1")
    }

    /// Whether nobody listens any more, at the latest after a second: the loop closes its listener when it hears of
    /// the drain.
    private func refusesConnections(_ service: Service) -> Bool {
        for _ in 0..<100 {
            guard (try? service.client()) != nil else { return true }
            usleep(10_000)
        }
        return false
    }

    @Test("a second signal does not wait for the drain")
    func secondSignal() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(
            data: "\(directory.path)/data", arguments: ["--drain-timeout", "60s"])
        let stuck = try service.client()
        try stuck.send("GET /healthz HTTP/1.1\r\n")
        #expect(try service.client().request("GET", "/healthz").status == 200)
        service.process.signal(SIGTERM)
        _ = try service.process.output.line(containing: #""event":"drain""#)
        service.process.signal(SIGINT)
        #expect(try service.process.waitForExit().code == 128 + SIGINT)
    }

    @Test("what was acknowledged is there after kill -9 and a restart")
    func kill() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        for number in 0..<10 {
            let answer = try service.ingest("name\(number)=\(number); Max-Age=3600")
            #expect(answer.status == 200)
        }
        let before = try service.cookieHeader()
        #expect(before.text.hasPrefix("name0=0; name1=1; "))
        service.process.signal(SIGKILL)
        #expect(try service.process.waitForExit().code == -SIGKILL)

        let again = try Service(data: "\(directory.path)/data")
        #expect(try again.cookieHeader().text == before.text)
    }

    @Test("a second process on the same data is turned away, and the first does not notice")
    func doubleStart() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        let second = try ChildProcess.run([
            "serve", "--port", "0", "--data-dir", "\(directory.path)/data",
        ])
        #expect(second.code == 73)
        #expect(second.output.contains("data-dir"))
        #expect(try service.ingest("sid=1").status == 200)
    }

    @Test("a port that is taken is the system's refusal")
    func portTaken() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/one")
        let second = try ChildProcess.run(
            ["serve", "--port", "\(service.port)", "--data-dir", "\(directory.path)/two"])
        #expect(second.code == 71)
        #expect(second.output.contains("port"))
    }

    @Test("files are the owner's alone, and there are no core dumps")
    func hardening() throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        #expect(try service.ingest("sid=1").status == 200)
        var status = stat()
        try #require(stat("\(directory.path)/data", &status) == 0)
        #expect(status.st_mode & 0o077 == 0)

        func kernel(_ file: String) throws -> String {
            let descriptor = open("/proc/\(service.process.pid)/\(file)", O_RDONLY)
            return try LineReader(descriptor: descriptor).readToEnd(seconds: 5)
        }
        #expect(try kernel("status").contains("Umask:\t0077\n"))
        let core =
            try kernel("limits").split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            ?? ""
        #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }

    @Test("a crash report is not written, even where the environment asks for one")
    func noBacktrace() throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            [
                "serve", "--port", "0", "--data-dir", "\(directory.path)/data", "--log-format",
                "json",
            ],
            environment: ["SWIFT_BACKTRACE": "enable=yes,color=no"])
        _ = try process.output.line(containing: #""event":"listen""#)
        process.signal(SIGSEGV)
        let ended = try process.waitForExit()
        #expect(ended.code == -SIGSEGV)
        #expect(ended.output.isEmpty)
    }
}
