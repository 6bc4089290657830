// SPDX-License-Identifier: Apache-2.0
import Locks
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Streaming")
struct StreamingTests {
    private func server(
        _ source: CountingSource, _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer<ClosureHandler> {
        try TestServer(
            ClosureHandler { _, exchange in
                exchange.send(HTTPResponse(status: .ok, body: .stream(source)))
            }, change)
    }

    @Test("a streamed answer arrives whole and the connection goes on")
    func whole() throws {
        let source = CountingSource(total: 3_000_000)
        let server = try server(source)
        let client = try RawHTTPClient(port: server.port)
        let response = try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response["transfer-encoding"] == "chunked")
        #expect(response["content-length"] == nil)
        #expect(response.body.count == 3_000_000)
        #expect(!source.snapshot.isCancelled)
    }

    @Test("a source that waits is asked again after its signal")
    func waits() async throws {
        let source = CountingSource(total: 30, allowance: 10)
        let server = try server(source)
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        for allowance in [20, 30] {
            #expect(try await eventually { source.snapshot.given == allowance - 10 })
            source.allow(allowance)
        }
        #expect(try client.readResponse().body.count == 30)
    }

    @Test("an HTTP/1.0 client gets the content until the end of the connection")
    func legacy() throws {
        let server = try server(CountingSource(total: 100_000))
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let text = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(!text.contains("chunked"))
        #expect(text.contains("Connection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\n" + String(repeating: "s", count: 100_000)))
    }

    @Test("HEAD is answered without asking the source")
    func head() throws {
        let source = CountingSource(total: 100)
        let server = try server(source)
        let client = try RawHTTPClient(port: server.port)
        let response = try client.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.status == 200)
        #expect(source.snapshot.given == 0)
        #expect(source.snapshot.isCancelled)
    }

    @Test("a reader that does not read holds a bounded amount and is cut when it stalls")
    func slowReader() async throws {
        let source = CountingSource(total: 1 << 30)
        let server = try server(source) { $0.timeouts.responseStall = 400 }
        let client = try RawHTTPClient(port: server.port, receiveBuffer: 4_096)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { source.snapshot.isCancelled })
        // What the kernel holds for the two sockets comes on top of the server's 256 KiB.
        #expect(source.snapshot.given < 2 << 20)
        #expect(try await eventually { server.server.counters.connectionsOpen == 0 })
    }

    @Test("a source may let less wait than others")
    func unsentLimit() async throws {
        func given(_ limit: Int) async throws -> Int {
            let source = CountingSource(total: 1 << 30, unsentLimit: limit)
            let server = try server(source) { $0.timeouts.responseStall = 200 }
            let client = try RawHTTPClient(port: server.port, receiveBuffer: 4_096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await eventually { source.snapshot.isCancelled })
            return source.snapshot.given
        }
        // What the kernel holds is the same.
        #expect(try await given(4 << 10) + (200 << 10) < given(Int.max))
    }

    @Test("content without an end ends with its client", arguments: [true, false])
    func endsWithClient(ends: Bool) async throws {
        let source = CountingSource(total: 20, allowance: 10, endsWithClient: ends)
        let server = try server(source)
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { source.snapshot.given == 10 })
        client.finishSending()
        if ends {
            #expect(try await eventually { source.snapshot.isCancelled })
            #expect(try await eventually { server.server.counters.connectionsOpen == 0 })
        } else {
            source.allow(20)
            #expect(try client.readResponse().body.count == 20)
            #expect(!source.snapshot.isCancelled)
        }
    }

    @Test("a source that fails cuts the connection, so that the client sees no end")
    func failure() throws {
        final class FailingSource: HTTPBodySource {
            func start(_ signal: HTTPStreamSignal) {}
            func cancel() {}
            func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
                output.append(contentsOf: "part".utf8)
                return .failed
            }
        }
        let server = try TestServer(
            ClosureHandler { _, exchange in
                exchange.send(HTTPResponse(status: .ok, body: .stream(FailingSource())))
            })
        let client = try RawHTTPClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(!text.hasSuffix("0\r\n\r\n"))
    }

    /// Takes content, with a pause after each piece if wanted.
    final class CollectingSink: HTTPBodySink {
        struct State: Sendable {
            var content: [UInt8] = []
            var pieces = 0
            var isCancelled = false
            var signal: HTTPStreamSignal?
        }

        private let state = Locked(State())
        var snapshot: State { state.withLock { $0 } }
        let pauses: Bool
        let limit: Int

        init(pauses: Bool = false, limit: Int = Int.max) {
            self.pauses = pauses
            self.limit = limit
        }

        func start(_ signal: HTTPStreamSignal) { state.withLock { $0.signal = signal } }
        func cancel() { state.withLock { $0.isCancelled = true } }

        func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPSinkProgress {
            state.withLock { state in
                state.content += bytes
                state.pieces += 1
            }
            if snapshot.content.count > limit {
                return .refuse(HTTPResponse(status: .unprocessableContent))
            }
            return pauses ? .pause : .more
        }
    }

    private func server(_ sink: CollectingSink) throws -> TestServer<ClosureHandler> {
        try TestServer(
            ClosureHandler(
                admission: { _ in .streamBody(limit: 10_000_000, to: sink) },
                answer: { request, exchange in
                    exchange.body.append(
                        contentsOf: request.bodySink === sink ? "taken".utf8 : "lost".utf8)
                    exchange.send(.ok)
                }))
    }

    @Test("a sink takes content piece by piece, and none of it is collected")
    func sink() throws {
        let sink = CollectingSink()
        let server = try server(sink)
        let client = try RawHTTPClient(port: server.port)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        try client.send([UInt8](repeating: 0x61, count: 1_000_000))
        #expect(try client.readResponse().text == "taken")
        #expect(sink.snapshot.content.count == 1_000_000)
        #expect(sink.snapshot.pieces > 10)
    }

    @Test("a sink's pause holds the client back, and its signal lets it go on, to the very end")
    func pause() async throws {
        let sink = CollectingSink(pauses: true)
        let server = try server(sink)
        let client = try RawHTTPClient(port: server.port)
        try client.send(
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n")
        #expect(try await eventually { sink.snapshot.pieces == 1 })
        sink.snapshot.signal?.signal()
        #expect(try await eventually { sink.snapshot.pieces == 2 })
        sink.snapshot.signal?.signal()
        try client.send("0\r\n\r\n")
        #expect(try client.readResponse().text == "taken")
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nef")
        #expect(try await eventually { sink.snapshot.pieces == 3 })
        sink.snapshot.signal?.signal()
        #expect(try client.readResponse().text == "taken")
        #expect(sink.snapshot.content == Array("abcdef".utf8))
    }

    @Test("a sink that refuses ends the connection with its answer")
    func sinkRefuses() throws {
        let server = try server(CollectingSink(limit: 10))
        let client = try RawHTTPClient(port: server.port)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n0123456789abc")
        let response = try client.readResponse()
        #expect(response.status == 422)
        #expect(response["connection"] == "close")
    }

    @Test("a sink hears that the content will never be complete")
    func sinkCancelled() async throws {
        let sink = CollectingSink()
        let server = try server(sink)
        let client = try RawHTTPClient(port: server.port)
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
        client.finishSending()
        #expect(try client.readResponse().status == 400)
        #expect(try await eventually { sink.snapshot.isCancelled })
    }
}
