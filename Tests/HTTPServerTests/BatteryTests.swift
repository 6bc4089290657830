// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPServer
import Testing

@Suite("The battery of raw requests", .serialized)
struct BatteryTests {
    @Test("every row that needs no authorisation passes")
    func allRowsPass() throws {
        let server = try TestServer(ServiceLikeHandler()) { $0.timeouts = HTTPTimeouts() }
        let runner = Process()
        runner.executableURL = URL(filePath: "/usr/bin/env")
        runner.arguments = [
            "python3", Battery.fixtures.appending(path: "run_battery.py").path, "127.0.0.1",
            String(server.port), "--skip-needs", "auth", "--jobs", "16",
        ]
        let output = Pipe()
        runner.standardOutput = output
        try runner.run()
        let report = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        runner.waitUntilExit()
        let failures = report.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        #expect(report.hasSuffix("184/184 pass\n"), "\(report.suffix(200))")
    }
}
