// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import TestSupport
import Testing

@Suite("Time-outs and limits of connections on live sockets")
struct TimeoutTests {
    @Test("a connection that says nothing is closed without an answer")
    func silence() throws {
        let server = try TestServer(EchoHandler()) { $0.timeouts.header = 100 }
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a connection is closed after a while between requests")
    func idle() throws {
        let server = try TestServer(EchoHandler()) { $0.timeouts.idle = 100 }
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a head that does not end is answered 408, however steadily it comes")
    func slowHead() async throws {
        let server = try TestServer(EchoHandler()) {
            $0.timeouts.header = 300
            $0.timeouts.linger = 10_000
        }
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
        var number = 0
        while server.server.counters.faults == 0, number < 90 {
            try client.send("X-\(number): a\r\n")
            try await Task.sleep(for: .milliseconds(20))
            number += 1
        }
        let response = try client.readResponse()
        client.finishSending()
        #expect(response.status == 408)
        #expect(response["connection"] == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("content that stops, or comes too slowly, is answered 408")
    func slowBody() throws {
        for change in [
            { $0.timeouts.body = 100 }, { $0.timeouts.bodyGrace = 100 },
        ] as [(inout ServerConfiguration) -> Void] {
            let server = try TestServer(EchoHandler(), change)
            let client = try RawHTTPClient(port: server.port)
            let response = try client.exchange(
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            #expect(response.status == 408)
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test("what comes after the last answer is read for a while and no longer")
    func linger() throws {
        let server = try TestServer(EchoHandler()) { $0.timeouts.linger = 100 }
        let client = try RawHTTPClient(port: server.port)
        try client.send("BAD\r\n\r\n")
        #expect(try client.readResponse().status == 400)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("one connection too many from an address is told so")
    func perAddress() async throws {
        let server = try TestServer(EchoHandler()) { $0.maximumConnectionsPerAddress = 2 }
        var clients = try (0..<2).map { _ in try RawHTTPClient(port: server.port) }
        for client in clients { _ = try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        let third = try RawHTTPClient(port: server.port)
        let response = try third.readResponse()
        #expect(response.status == 503)
        #expect(response["retry-after"] == "1")
        #expect(response["connection"] == "close")
        #expect(server.server.counters.connectionsRefused == 1)
        clients.removeFirst()
        #expect(try await eventually { server.server.counters.connectionsOpen == 1 })
        let fourth = try RawHTTPClient(port: server.port)
        #expect(try fourth.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    }

    @Test("at the cap, connections wait until there is room")
    func total() throws {
        let server = try TestServer(EchoHandler()) {
            $0.maximumConnections = 2
            $0.loops = 2
        }
        var clients = try (0..<2).map { _ in try RawHTTPClient(port: server.port) }
        for client in clients { _ = try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        let third = try RawHTTPClient(port: server.port)
        try third.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(throws: RawHTTPClient.Failure.self) { try third.readResponse(milliseconds: 100) }
        clients.removeFirst()
        #expect(try third.readResponse().text == "GET /x")
    }
}
