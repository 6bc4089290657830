// SPDX-License-Identifier: Apache-2.0

/// How much a log line matters.
///
/// Libraries stay at `info` or below, except for what an operator must act on.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// Detail for someone who reads along.
    case debug
    /// Milestones of the process.
    case info
    /// Something an operator should look at.
    case warning
    /// Something an operator must act on.
    case error

    /// Orders by weight.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A value that may appear in a log line.
///
/// There is no case for cookie values, tokens or keys, on purpose.
public enum LogValue: Sendable {
    /// Text; control characters are escaped and the rest is cut at 256 bytes.
    case text(String)
    /// A whole number.
    case number(Int)
    /// A truth value.
    case flag(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

/// Where log lines go.
///
/// Thread-safe; must never block the caller for long.
public protocol LogSink: Sendable {
    /// Takes one event with its fields, in the order in which they are to be shown.
    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>)
}

/// Logs events: a short lower-case sentence (`open database`) and fields.
public struct Logger: Sendable {
    private let sink: any LogSink
    /// Events below this level are dropped.
    public let level: LogLevel

    /// A logger that writes events from `level` upward to a sink.
    public init(level: LogLevel, sink: any LogSink) {
        self.level = level
        self.sink = sink
    }

    /// Logs one event, unless its level is below the logger's.
    public func log(
        _ level: LogLevel, _ event: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
    ) {
        guard level >= self.level else { return }
        sink.write(level: level, event: event(), fields: fields())
    }
}
