// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import HTTPServer

/// What observers were told, all loops together.
private final class Endings: Sendable {
    struct Ending: Sendable {
        let outcome: RequestOutcome
        let kind: Int
        let id: String
        let text: String
    }

    private let all = Locked<[Ending]>([])
    private let flushes = Locked(0)

    var list: [Ending] { all.withLock { $0 } }
    var flushCount: Int { flushes.withLock { $0 } }

    final class Observer: RequestObserver {
        let endings: Endings
        init(_ endings: Endings) { self.endings = endings }

        func ended(_ outcome: RequestOutcome, _ note: borrowing RequestNote) {
            let ending = Ending(
                outcome: outcome, kind: note.kind, id: String(decoding: note.id, as: UTF8.self),
                text: String(decoding: note.text, as: UTF8.self))
            endings.all.withLock { $0.append(ending) }
        }

        func flush() { endings.flushes.withLock { $0 += 1 } }
    }
}

/// Notes the path of each request, and answers as the path says.
private struct NotingHandler: HTTPHandler {
    let endings = Endings()
    let parked = Parked()

    func makeObserver() -> (any RequestObserver)? { Endings.Observer(endings) }

    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        write(head, on: &note)
        return head.path.elementsEqual("/refused".utf8)
            ? .refuse(HTTPResponse(status: .forbidden)) : .collectBody(limit: 100)
    }

    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        write(request, on: &exchange.note)
        if request.path.elementsEqual("/later".utf8) {
            parked.add(exchange.deferResponse())
        } else if request.path.elementsEqual("/stream".utf8) {
            exchange.send(HTTPResponse(status: .ok, body: .stream(CountingSource(total: 70_000))))
        } else if !request.path.elementsEqual("/silent".utf8) {
            exchange.body.append(contentsOf: "answer".utf8)
            exchange.send(.ok)
        }
    }

    private func write(_ request: HTTPRequest, on note: inout RequestNote) {
        note.kind = request.path.count
        note.id.append(contentsOf: "id".utf8)
        note.text.append(contentsOf: request.path)
    }
}

@Suite("The observer of a loop")
struct ObserverTests {
    private let handler = NotingHandler()
    private let server: TestServer<NotingHandler>

    init() throws { server = try TestServer(handler) { $0.loops = 1 } }

    private func endings(_ count: Int) async throws -> [Endings.Ending] {
        #expect(try await eventually { handler.endings.list.count >= count })
        return handler.endings.list
    }

    @Test("is told of each answer once, with what the handler noted")
    func answers() async throws {
        let client = try RawHTTPClient(port: server.port)
        let bodied = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        try client.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n\(bodied)")
        for _ in 0..<2 { #expect(try client.readResponse().status == 200) }
        try client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
        try client.send("hello")
        #expect(try client.readResponse().status == 200)
        let list = try await endings(3)
        #expect(list.map(\.text) == ["/plain", "/body", "/slow"])
        #expect(list.map(\.kind) == [6, 5, 5])
        #expect(list.allSatisfy { $0.id == "id" && $0.outcome.status == 200 })
        #expect(list[0].outcome.bytesReceived == 32)
        #expect(list[1].outcome.bytesReceived == bodied.utf8.count)
        #expect(list.allSatisfy { $0.outcome.nanoseconds > 0 && $0.outcome.bytesSent > 60 })
        #expect(handler.endings.flushCount > 0)
    }

    @Test("is told of refusals, faults and silence, with what is known of each")
    func refusals() async throws {
        for (request, status, text): (String, UInt16, String) in [
            ("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 403, "/refused"),
            ("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n", 413, "/large"),
            ("GET / HTTP/9.1\r\n\r\n", 505, ""),
            ("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n", 500, "/silent"),
        ] {
            let before = handler.endings.list.count
            let client = try RawHTTPClient(port: server.port)
            try client.send(request)
            #expect(try client.readResponse().status == Int(status))
            let list = try await endings(before + 1)
            #expect(list.last?.outcome.status == status)
            #expect(list.last?.text == text)
        }
    }

    @Test(
        "is told of an answer that comes later, of a stream at its end, and of a client that left")
    func later() async throws {
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { handler.parked.count == 1 })
        // Another request's note in between must not be taken for this one's.
        _ = try RawHTTPClient(port: server.port).exchange("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
        handler.parked.takeAll().forEach { $0.send(HTTPResponse(status: .accepted)) }
        #expect(try client.readResponse().status == 202)
        try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().body.count == 70_000)
        try await leave()
        let list = try await endings(4)
        #expect(list.map(\.text) == ["/other", "/later", "/stream", "/later"])
        #expect(list.map(\.outcome.status) == [200, 202, 200, RequestOutcome.clientLeft])
        #expect(list[2].outcome.bytesSent > 70_000)
    }

    /// Asks, and resets the connection while the answer is owed.
    private func leave() async throws {
        var client: RawHTTPClient? = try RawHTTPClient(port: server.port)
        try client?.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { handler.parked.count == 1 })
        client?.reset()
        client = nil
    }
}
