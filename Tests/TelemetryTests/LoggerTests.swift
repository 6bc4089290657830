// SPDX-License-Identifier: Apache-2.0

import Locks
import Testing

@testable import Telemetry

private final class RecordingSink: LogSink {
    let events = Locked<[String]>([])

    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {
        events.withLock { $0.append("\(level.name) \(event)") }
    }
}

@Suite("The logger")
struct LoggerTests {
    @Test("drops what is below its level, without building it", arguments: LogLevel.allCases)
    func levels(level: LogLevel) {
        let sink = RecordingSink()
        let logger = Logger(level: level, sink: sink)
        var built = 0
        for candidate in LogLevel.allCases {
            logger.log(
                candidate,
                {
                    built += 1
                    return "event"
                }())
        }
        let expected = LogLevel.allCases.filter { $0 >= level }.map { "\($0.name) event" }
        #expect(sink.events.withLock { $0 } == expected)
        #expect(built == expected.count)
    }
}
