// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import TestSupport
import Testing

@Suite("Time-outs on live sockets")
struct TimeoutTests {
    @Test("a connection that says nothing is closed without an answer")
    func silence() throws {
        let server = try TestServer(ServiceLikeHandler()) { $0.timeouts.header = 150 }
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.readToEnd().isEmpty)
    }
}
