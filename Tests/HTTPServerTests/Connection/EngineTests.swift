// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import HTTPServer

@Suite("The engine, from received bytes to bytes to send")
struct EngineTests {
    private func answers(_ pieces: [ArraySlice<UInt8>]) -> String {
        var harness = EngineHarness(ServiceLikeHandler())
        var output: [UInt8] = []
        for piece in pieces { output += harness.feed(piece) }
        let text = String(decoding: output, as: UTF8.self)
        // Whether leave is given depends on what had come by then; nothing else may.
        return text.replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "") + "\(harness.phase)"
    }

    @Test("the battery's requests are answered the same whole, at every split and byte by byte")
    func splits() throws {
        for row in try Battery().rows where !row.request.isEmpty {
            let pieces = Splits.of(row.request, every: 30)
            let whole = answers(pieces[0])
            for split in pieces.dropFirst() where answers(split) != whole {
                Issue.record("\(row.id) depends on its splits")
                break
            }
        }
    }

    @Test("a hundred pipelined requests are answered in order, a depth's worth at a time")
    func pipelining() {
        var harness = EngineHarness(EchoHandler())
        let requests = (0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        var rest = harness.feed(Array(requests.utf8))
        for number in 0..<100 {
            guard let (response, used) = RawResponse.parse(rest, isHead: false) else {
                Issue.record("no answer to \(number)")
                return
            }
            #expect(response.text == "GET /\(number)")
            rest.removeFirst(used)
        }
        #expect(rest.isEmpty)
    }

    @Test("nothing is kept for a connection between requests")
    func keepsNothing() {
        var harness = EngineHarness(EchoHandler())
        for piece in ["POST / HTTP/1.1\r\nHo", "st: a\r\nContent-Length: 6\r\n\r\nabc", "def"] {
            _ = harness.feed(piece.utf8)
        }
        #expect(harness.phase == .idle)
        #expect(harness.heldBytes == 0)
    }

    @Test("mutated requests are answered or refused, and never trap")
    func mutations() throws {
        var generator = SeededGenerator(seed: 4)
        let rows = try Battery().rows.map(\.request).filter { !$0.isEmpty && $0.count < 2_000 }
        for _ in 0..<4_000 {
            guard var request = rows.randomElement(using: &generator) else { return }
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<request.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: request[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: request[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: request.insert(contentsOf: request[index...].prefix(20), at: index)
                default: if request.count > 1 { request.remove(at: index) }
                }
            }
            var harness = EngineHarness(ServiceLikeHandler())
            let output = harness.feed(request)
            #expect(output.isEmpty || output.starts(with: "HTTP/1.1 ".utf8))
        }
    }
}
