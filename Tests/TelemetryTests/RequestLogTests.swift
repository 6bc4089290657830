// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import Telemetry

/// Keeps what it is given.
private final class RecordingLines: LineSink {
    private let kept = Mutex<[(text: String, count: Int)]>([])

    var batches: [(text: String, count: Int)] { kept.withLock { $0 } }

    func write(lines: UnsafeBufferPointer<UInt8>, count: Int) {
        kept.withLock { $0.append((String(decoding: lines, as: UTF8.self), count)) }
    }
}

@Suite("The log of requests")
struct RequestLogTests {
    private let sink = RecordingLines()

    private func lines(
        _ format: LogFormat = .json, level: LogLevel = .info, every: Int = 1
    ) -> RequestLines {
        RequestLines(RequestLog(format: format, level: level, every: every, sink: sink))
    }

    private func add(
        to lines: inout RequestLines, _ level: LogLevel = .info, fields: [UInt8] = [],
        status: Int = 200, endedAt: Int = 5_000_000_000
    ) {
        lines.add(
            FinishedRequest(
                level: level, status: status, nanoseconds: 1_234_567, endedAt: endedAt,
                bytesReceived: 12, bytesSent: 345),
            id: Array("r-1".utf8), route: fields, fields: [])
    }

    @Test("writes one JSON object per line, and a batch at once")
    func json() throws {
        var fields: [UInt8] = []
        LogFields.append("route", Array("/healthz".utf8), .json, to: &fields)
        var lines = lines()
        add(to: &lines, fields: fields)
        add(to: &lines, status: 404)
        #expect(sink.batches.isEmpty)
        lines.flush()
        lines.flush()
        let batch = try #require(sink.batches.first)
        #expect(sink.batches.count == 1 && batch.count == 2)
        let written = batch.text.split(separator: "\n")
        #expect(
            written[0].drop { $0 != "," }
                == #","level":"info","event":"request","request_id":"r-1","route":"/healthz","status":200,"duration_ms":1.234,"bytes_in":12,"bytes_out":345}"#
        )
        #expect(written[1].contains(#""event":"request","request_id":"r-1","status":404"#))
    }

    @Test("writes text for a terminal")
    func text() throws {
        var fields: [UInt8] = []
        LogFields.append("route", Array("/healthz".utf8), .text, to: &fields)
        var lines = lines(.text)
        add(to: &lines, fields: fields)
        lines.flush()
        let text = try #require(sink.batches.first?.text)
        #expect(
            text.hasSuffix(
                "Z info    request request_id=\"r-1\" route=\"/healthz\" status=200 duration_ms=1.234 bytes_in=12 bytes_out=345\n"
            ))
    }

    @Test("gives the wall clock's time of moments of the monotonic clock")
    func time() throws {
        var lines = lines()
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let monotonic = now.tv_sec * 1_000_000_000 + now.tv_nsec
        for milliseconds in [0, 7, 1_000, 61_000] {
            add(to: &lines, endedAt: monotonic + milliseconds * 1_000_000)
        }
        lines.flush()
        let text = try #require(sink.batches.first?.text)
        let times = text.split(separator: "\n").map { $0.dropFirst(9).prefix(24) }
        clock_gettime(CLOCK_REALTIME, &now)
        var today: [UInt8] = []
        LogTime(seconds: now.tv_sec, milliseconds: 0).append(to: &today)
        #expect(times.allSatisfy { $0.hasSuffix("Z") && $0.utf8.count == 24 })
        #expect(
            times[0].prefix(13).elementsEqual(String(decoding: today.prefix(13), as: UTF8.self)))
        #expect(Set(times).count == 4)
    }

    @Test("leaves out what is below its level, and all but every n-th, but never a failure")
    func sampling() {
        var lines = lines(level: .info, every: 3)
        add(to: &lines, .debug)
        for _ in 0..<7 { add(to: &lines) }
        add(to: &lines, status: 503)
        lines.flush()
        #expect(sink.batches.map(\.count) == [3])
        var silent = self.lines(level: .warning)
        add(to: &silent, status: 200)
        silent.flush()
        #expect(sink.batches.count == 1)
    }
}
