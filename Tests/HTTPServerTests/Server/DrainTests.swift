// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite("Draining", .serialized)
struct DrainTests {
    @Test("idle connections end at once, and nobody new is let in")
    func idle() async throws {
        let server = try TestServer(EchoHandler())
        let idle = try RawHTTPClient(port: server.port)
        _ = try idle.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        server.server.drain()
        #expect(server.server.isDraining)
        #expect(try idle.readToEnd().isEmpty)
        server.server.waitUntilStopped()
        #expect(throws: RawHTTPClient.Failure.self) { try RawHTTPClient(port: server.port) }
    }

    @Test("requests in flight are answered, and the connection ends with the answer")
    func inFlight() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler) { $0.timeouts.linger = 100 }
        let deferred = try RawHTTPClient(port: server.port)
        try deferred.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        let reading = try RawHTTPClient(port: server.port)
        try reading.send("PUT /now HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        #expect(try await eventually { parked.count == 1 && server.server.counters.requests == 2 })
        server.server.drain()
        try reading.send("cd")
        let second = try reading.readResponse()
        #expect(second.text == "now")
        #expect(second["connection"] == "close")
        parked.takeAll().first?.send(HTTPResponse(status: .ok, body: [0x61]))
        let first = try deferred.readResponse()
        #expect(first.text == "a")
        #expect(first["connection"] == "close")
        #expect(try deferred.readToEnd().isEmpty)
        #expect(try reading.readToEnd().isEmpty)
        server.server.waitUntilStopped()
    }

    @Test("what is not done by the deadline is cut")
    func deadline() async throws {
        let source = CountingSource(total: 100, allowance: 10)
        let server = try TestServer(
            ClosureHandler { _, exchange in
                exchange.send(HTTPResponse(status: .ok, body: .stream(source)))
            })
        let half = try RawHTTPClient(port: server.port)
        try half.send("PUT /now HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        let stream = try RawHTTPClient(port: server.port)
        try stream.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { source.snapshot.given == 10 })
        server.server.drain(deadlineSeconds: 3_600)
        server.server.drain(deadlineSeconds: 0)
        server.server.waitUntilStopped()
        #expect(source.snapshot.isCancelled)
        #expect(server.server.counters.connectionsOpen == 0)
    }

    @Test("a server that has stopped leaves no descriptor and no content behind")
    func descriptors() async throws {
        func openDescriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        // Other tests come and go meanwhile, so there is noise; one descriptor per loop would be 600.
        let noise = 300
        let before = try openDescriptors()
        for _ in 0..<200 {
            let parked = Parked()
            let server = try TestServer(parked.handler) { $0.loops = 3 }
            let client = try RawHTTPClient(port: server.port)
            _ = try client.exchange("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await eventually { parked.count == 1 })
            server.stop()
            #expect(server.server.counters.bodyBytesInFlight == 0)
            parked.takeAll().first?.send(HTTPResponse(status: .ok))
        }
        #expect(try await eventually { try openDescriptors() < before + noise })
    }
}
