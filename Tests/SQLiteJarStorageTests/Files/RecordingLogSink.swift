// SPDX-License-Identifier: Apache-2.0

import Locks
import Telemetry

/// Keeps log lines, to be asked for.
final class RecordingLogSink: LogSink {
    private let kept = Locked<[String]>([])

    /// The events with their fields.
    var lines: [String] { kept.withLock { $0 } }

    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {
        let line = "\(event) " + fields.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        kept.withLock { $0.append(line) }
    }
}
