// SPDX-License-Identifier: Apache-2.0

extension Logger {
    /// A logger that says nothing.
    public static let silent = Logger(level: .error, sink: DiscardingLogSink())
}

/// A sink that forgets what it is given.
struct DiscardingLogSink: LogSink {
    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {}
}
