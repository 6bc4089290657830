// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import Locks
import TestSupport
import Testing

@Suite("Deferred answers")
struct DeferredTests {
    private func response(_ text: String) -> HTTPResponse {
        HTTPResponse(status: .ok, body: Array(text.utf8))
    }

    @Test("answers keep the order of the requests, whatever answers them")
    func order() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        try client.send(
            "GET /now HTTP/1.1\r\nHost: a\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\nGET /now HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(try client.readResponse().text == "now")
        #expect(try await eventually { parked.count == 1 })
        #expect(server.server.counters.deferred == 1)
        parked.takeAll().first?.send(response("later"))
        #expect(try client.readResponse().text == "later")
        #expect(try client.readResponse().text == "now")
        #expect(server.server.counters.deferred == 0)
    }

    @Test("many pipelined deferred requests are parsed one by one, from what was received at once")
    func pipelined() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        try client.send(String(repeating: "GET /later HTTP/1.1\r\nHost: a\r\n\r\n", count: 50))
        for number in 0..<50 {
            #expect(try await eventually { parked.count == 1 })
            parked.takeAll().first?.send(response("\(number)"))
            #expect(try client.readResponse().text == "\(number)")
        }
    }

    @Test("answers from many threads to many connections all arrive")
    func manyThreads() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler) { $0.loops = 2 }
        let clients = try (0..<100).map { _ in try RawHTTPClient(port: server.port) }
        for _ in 0..<5 {
            for client in clients { try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(try await eventually { parked.count == 100 })
            let responders = parked.takeAll()
            await withTaskGroup(of: Void.self) { group in
                for responder in responders {
                    group.addTask { responder.send(HTTPResponse(status: .ok, body: [0x61])) }
                }
            }
            for client in clients { #expect(try client.readResponse().text == "a") }
        }
    }

    @Test("only the first answer counts")
    func firstAnswer() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { parked.count == 1 })
        let responder = parked.takeAll().first
        responder?.send(response("first"))
        responder?.send(response("second"))
        #expect(try client.readResponse().text == "first")
        #expect(try client.exchange("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
    }

    @Test("a responder that is dropped is answered for")
    func dropped() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { parked.count == 1 })
        _ = parked.takeAll()
        #expect(try client.readResponse().status == 500)
        #expect(try client.exchange("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
    }

    @Test("an answer that takes too long is 503, and comes too late for the next request")
    func timeout() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        let late = try client.exchange("GET /hasty HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(late.status == 503)
        #expect(late["retry-after"] == "1")
        let old = parked.takeAll().first
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { parked.count == 1 })
        old?.send(response("old"))
        parked.takeAll().first?.send(response("new"))
        #expect(try client.readResponse().text == "new")
    }

    @Test("an answer to a client that has gone is dropped")
    func gone() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        do {
            let client = try RawHTTPClient(port: server.port)
            try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await eventually { parked.count == 1 })
            client.reset()
        }
        #expect(try await eventually { server.server.counters.connectionsOpen == 0 })
        parked.takeAll().first?.send(response("nobody"))
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
        #expect(server.server.counters.deferred == 0)
    }

    @Test("an answer to a client that has gone does not reach the next one in its place")
    func successor() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler) { $0.loops = 1 }
        let old: HTTPResponder?
        do {
            let first = try RawHTTPClient(port: server.port)
            try first.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await eventually { parked.count == 1 })
            old = parked.takeAll().first
            first.reset()
        }
        #expect(try await eventually { server.server.counters.connectionsOpen == 0 })
        let second = try RawHTTPClient(port: server.port)
        try second.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { parked.count == 1 })
        old?.send(response("old"))
        parked.takeAll().first?.send(response("new"))
        #expect(try second.readResponse().text == "new")
    }

    @Test(
        "a handler that asks hears that nobody waits any more: no end, a reset, the server's own answer",
        arguments: [0, 1, 2])
    func abandoned(how: Int) async throws {
        let abandoned = Locked(0)
        let parked = Parked()
        let server = try TestServer(
            ClosureHandler { _, exchange in
                parked.add(
                    exchange.deferResponse(
                        within: how == 2 ? 0 : nil,
                        onAbandon: { abandoned.withLock { $0 += 1 } }))
            })
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        if how < 2 { #expect(try await eventually { parked.count == 1 }) }
        switch how {
        case 0: client.finishSending()
        case 1: client.reset()
        default: #expect(try client.readResponse().status == 503)
        }
        #expect(try await eventually { abandoned.withLock { $0 } == 1 })
        parked.takeAll().first?.send(response("late"))
        server.stop()
        #expect(abandoned.withLock { $0 } == 1)
    }

    @Test("a handler that has answered is not told that nobody waits")
    func answeredInTime() async throws {
        let abandoned = Locked(0)
        let server = try TestServer(
            ClosureHandler { _, exchange in
                exchange.deferResponse(onAbandon: { abandoned.withLock { $0 += 1 } })
                    .send(HTTPResponse(status: .ok, body: Array("now".utf8)))
            })
        let client = try RawHTTPClient(port: server.port)
        for _ in 1...2 {
            #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
        }
        client.finishSending()
        #expect(try await eventually { server.server.counters.connectionsOpen == 0 })
        #expect(abandoned.withLock { $0 } == 0)
    }

    @Test("an answer that comes after the server has stopped is given up")
    func afterStop() async throws {
        let parked = Parked()
        let server = try TestServer(parked.handler)
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { parked.count == 1 })
        server.stop()
        let source = CountingSource(total: 1)
        parked.takeAll().first?.send(HTTPResponse(status: .ok, body: .stream(source)))
        #expect(source.snapshot.isCancelled)
    }
}
