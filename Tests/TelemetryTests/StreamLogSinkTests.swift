// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Telemetry

/// A pipe whose reading end the test holds.
private struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    /// Reads until `count` lines have come.
    func readLines(_ count: Int) -> [Substring] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.lazy.filter({ $0 == UInt8(ascii: "\n") }).count < count {
            let got = read(reader, &buffer, buffer.count)
            guard got > 0 else { break }
            bytes.append(contentsOf: buffer[..<got])
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}

@Suite("The stream sink")
struct StreamLogSinkTests {
    @Test("writes lines in order, and flush waits for them")
    func order() throws {
        let pipe = try Pipe()
        let sink = try #require(StreamLogSink(descriptor: pipe.writer, format: .text))
        for number in 0..<100 {
            sink.write(level: .info, event: "e", fields: ["n": .number(number)])
        }
        sink.flush(milliseconds: 5_000)
        let lines = pipe.readLines(100)
        #expect(lines.map { $0.split(separator: "=").last } == (0..<100).map { "\($0)" })
        #expect(sink.dropped == 0)
    }

    @Test("a reader that stopped costs lines, not time, and the loss is told")
    func stuckReader() throws {
        let pipe = try Pipe()
        let sink = try #require(
            StreamLogSink(descriptor: pipe.writer, format: .text, capacity: 4_096))
        let before = LogTime.now().seconds
        while sink.dropped < 1_000 { sink.write(level: .info, event: "stuck", fields: [:]) }
        sink.flush(milliseconds: 50)  // gives up, for nobody reads
        #expect(LogTime.now().seconds - before < 10)

        // Once the reader reads again, reports tell of every line that was lost.
        var told = 0
        while told < sink.dropped {
            sink.write(level: .info, event: "again", fields: [:])
            for line in pipe.readLines(1) where line.contains("log lines were lost") {
                told += line.split(separator: "=").last.flatMap { Int($0) } ?? 0
            }
        }
        #expect(told == sink.dropped)
    }

    @Test("a closed stream does no harm")
    func closedStream() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try Pipe()
        close(pipe.reader)
        let sink = try #require(StreamLogSink(descriptor: pipe.writer, format: .json))
        for _ in 0..<10 { sink.write(level: .error, event: "nobody listens", fields: [:]) }
        sink.flush(milliseconds: 5_000)
        #expect(sink.dropped == 0)
    }
}
