// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import TestSupport
import Testing

@Suite("Serving on live sockets")
struct ServingTests {
    @Test("a connection serves one request after the other, with a date on each")
    func keepAlive() throws {
        let server = try TestServer(EchoHandler())
        let client = try RawHTTPClient(port: server.port)
        for number in 0..<5 {
            let response = try client.exchange("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.text == "GET /\(number)")
            #expect(response["date"]?.hasSuffix(" GMT") == true)
            #expect(response["connection"] == nil)
        }
        #expect(server.server.counters.requests == 5)
        #expect(server.server.counters.connectionsAccepted == 1)
    }

    @Test("a hundred pipelined requests are answered in order")
    func pipelining() throws {
        let server = try TestServer(EchoHandler())
        let client = try RawHTTPClient(port: server.port)
        try client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for number in 0..<100 { #expect(try client.readResponse().text == "GET /\(number)") }
    }

    @Test("content comes plain, in chunks, byte by byte and larger than a buffer")
    func content() async throws {
        let server = try TestServer(EchoHandler())
        let client = try RawHTTPClient(port: server.port)
        #expect(
            try client.exchange("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").text
                == "PUT /a abc")
        let chunked =
            "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        #expect(try client.exchange(chunked).text == "POST /b abc")
        for byte in Array(chunked.utf8) { try client.send([byte]) }
        #expect(try client.readResponse().text == "POST /b abc")
        let large = String(repeating: "x", count: 300_000)
        #expect(
            try client.exchange(
                "PUT /c HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n\(large)"
            ).body.count
                == 300_000 + 7)
        #expect(try await eventually { server.server.counters.bodyBytesInFlight == 0 })
    }

    @Test("HEAD has the length and no content, and the stream stays in step")
    func head() throws {
        let server = try TestServer(EchoHandler())
        let client = try RawHTTPClient(port: server.port)
        let response = try client.exchange("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response["content-length"] == "9")
        #expect(try client.exchange("GET /d HTTP/1.1\r\nHost: a\r\n\r\n").text == "GET /d")
    }

    @Test("leave to send is given after admission and never with a refusal")
    func expectation() throws {
        let handler = ClosureHandler(
            admission: { head in
                head.path.elementsEqual("/yes".utf8)
                    ? .collectBody(limit: 100) : .refuse(HTTPResponse(status: .forbidden))
            },
            answer: { request, exchange in
                exchange.body.append(contentsOf: request.body)
                exchange.send(.ok)
            })
        let server = try TestServer(handler)
        let head = "HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("PUT /yes \(head)").status == 100)
        #expect(try client.exchange("abc").text == "abc")
        let refused = try RawHTTPClient(port: server.port)
        let response = try refused.exchange("PUT /no \(head)")
        #expect(response.status == 403)
        #expect(response["connection"] == "close")
        let tooLarge = try RawHTTPClient(port: server.port)
        let large = head.replacing("Length: 3", with: "Length: 101")
        #expect(try tooLarge.exchange("PUT /yes \(large)").status == 413)
        let unknown = try RawHTTPClient(port: server.port)
        let other = head.replacing("100-continue", with: "200-ok")
        #expect(try unknown.exchange("PUT /yes \(other)").status == 417)
    }

    @Test("a refusal closes only if content is outstanding")
    func refusal() throws {
        let handler = ClosureHandler(
            admission: { _ in .refuse(HTTPResponse(status: .unauthorized)) },
            answer: { _, exchange in exchange.send(.ok) })
        let server = try TestServer(handler)
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")["connection"] == nil)
        #expect(
            try client.exchange("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")[
                "connection"]
                == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("large answers are compressed for those who take it, and an ETag can know")
    func compression() throws {
        let handler = ClosureHandler { request, exchange in
            exchange.body.append(contentsOf: repeatElement(UInt8(ascii: "z"), count: 5_000))
            let tag = exchange.willCompress(bodyCount: exchange.body.count) ? "gzip" : "identity"
            exchange.addField("X-Coding", Array(tag.utf8))
            exchange.send(.ok)
        }
        let server = try TestServer(handler)
        let client = try RawHTTPClient(port: server.port)
        let coded = try client.exchange(
            "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
        #expect(coded["content-encoding"] == "gzip")
        #expect(coded["x-coding"] == "gzip")
        #expect(coded.body.starts(with: [0x1F, 0x8B]))
        let plain = try client.exchange(
            "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip;q=0\r\n\r\n")
        #expect(plain["content-encoding"] == nil)
        #expect(plain["x-coding"] == "identity")
        #expect(plain.body.count == 5_000)
        let head = try client.exchange(
            "HEAD / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
        #expect(head["content-length"] == coded["content-length"])
    }

    @Test("an answer of the server's own says when to come back and what is understood")
    func faults() throws {
        let server = try TestServer(EchoHandler()) { $0.limits.inFlightBodyBytes = 64 << 10 }
        let client = try RawHTTPClient(port: server.port)
        let coding = try client.exchange(
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nab")
        #expect(coding.status == 415)
        #expect(coding["accept-encoding"] == "gzip")
        let heavy = try RawHTTPClient(port: server.port)
        try heavy.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
        try heavy.send([UInt8](repeating: 0x61, count: 100_000))
        let overloaded = try heavy.readResponse()
        #expect(overloaded.status == 503)
        #expect(overloaded["retry-after"] == "1")
        #expect(server.server.counters.bodyBytesInFlight == 0)
        #expect(server.server.counters.faults == 2)
    }

    @Test("a handler that gives no answer is answered for")
    func noAnswer() throws {
        let server = try TestServer(ClosureHandler { _, _ in })
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 500)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 500)
    }

    @Test("several loops share the connections evenly, whoever goes, and all of them serve")
    func loops() async throws {
        let server = try TestServer(EchoHandler()) { $0.loops = 3 }
        func connect(_ count: Int) throws -> [RawHTTPClient] {
            let clients = try (0..<count).map { _ in try RawHTTPClient(port: server.port) }
            for client in clients {
                #expect(try client.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").text == "GET /x")
            }
            return clients
        }
        var clients = try connect(30)
        #expect(server.server.counters.connectionsByLoop == [10, 10, 10])
        // The next in turn would not be the next to be given: all that go were on one loop.
        clients = clients.enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
        #expect(try await eventually { server.server.counters.connectionsOpen == 20 })
        clients += try connect(11)
        #expect(server.server.counters.connectionsByLoop.sorted() == [10, 10, 11])
        #expect(clients.count == 31)
    }

    @Test("a client that resets in the middle of things harms nobody")
    func resets() throws {
        let server = try TestServer(EchoHandler())
        let body = String(repeating: "x", count: 200_000)
        for number in 0..<300 {
            let client = try RawHTTPClient(port: server.port)
            let request = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
            try client.send(request + body.prefix(number % 3 == 0 ? 10 : 200_000))
            client.reset()
        }
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    }

    @Test("the peer's address is known")
    func peer() throws {
        let handler = ClosureHandler { request, exchange in
            exchange.body.append(
                contentsOf: "\(request.peerAddress) \(request.peerIsLoopback)".utf8)
            exchange.send(.ok)
        }
        let server = try TestServer(handler)
        let client = try RawHTTPClient(port: server.port)
        #expect(try client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "127.0.0.1 true")
    }
}
