// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("A service that is open on loopback")
struct OpenModeTests {
    @Test("says so once, with a warning")
    func warning() throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            [
                "serve", "--port", "0", "--data-dir", "\(directory.path)/data", "--log-format",
                "json",
            ])
        let line = try process.output.line(containing: "no admin token")
        #expect(line.contains(#""level":"warning""#))
        _ = try process.output.line(containing: #""event":"listen""#)
        process.signal(SIGTERM)
        #expect(try !process.waitForExit().output.contains("no admin token"))
    }

    @Test(
        "refuses a web page that reaches for it: DNS rebinding, forms and scripts",
        arguments: [
            ["Host": "evil.example"], ["Host": "localhost.evil.example"], ["Host": "203.0.113.7"],
            ["Origin": "https://evil.example"], ["Origin": "null"],
            ["Sec-Fetch-Site": "cross-site"],
        ])
    func foreign(fields: [String: String]) throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        #expect(try service.ingest("sid=1").status == 200)
        let target = "\(Service.store)/cookie-header?url=https%3A%2F%2Fwww.example.com%2F"
        let read = try service.client().request("GET", target, fields: fields)
        #expect(read.status == 403)
        #expect(!read.text.contains("sid"))
        let write = try service.client().request(
            "POST", "\(Service.store)/ingest",
            body: #"{"url":"https://www.example.com/","headers":[["Set-Cookie","sid=2"]]}"#,
            fields: fields)
        #expect(write.status == 403)
        #expect(try service.cookieHeader().text == "sid=1")
    }

    @Test(
        "answers to every loopback name",
        arguments: ["localhost", "127.0.0.1", "127.0.0.1:8080", "[::1]"])
    func loopback(host: String) throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        let target = "\(Service.store)/cookie-header?url=https%3A%2F%2Fwww.example.com%2F"
        #expect(try service.client().request("GET", target, fields: ["Host": host]).status == 200)
    }
}
