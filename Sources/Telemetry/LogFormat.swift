// SPDX-License-Identifier: Apache-2.0

/// How a log line looks.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line: `time`, `level`, `event`, then the event's fields.
    case json
    /// `2026-11-30T07:04:25.123Z info    open database path="./data"`, for a person at a terminal.
    case text

    /// Appends one whole line, its newline included.
    ///
    /// Nothing in the event or its fields can end the line early.
    func append(
        _ event: String, level: LogLevel, at time: LogTime, fields: KeyValuePairs<String, LogValue>,
        to line: inout [UInt8]
    ) {
        switch self {
        case .json:
            line.append(contentsOf: #"{"time":""#.utf8)
            time.append(to: &line)
            line.append(contentsOf: #"","level":""#.utf8)
            line.append(contentsOf: level.name.utf8)
            line.append(contentsOf: #"","event":"#.utf8)
            LogText.appendQuoted(event, to: &line)
            for (key, value) in fields {
                line.append(UInt8(ascii: ","))
                LogText.appendQuoted(key, to: &line)
                line.append(UInt8(ascii: ":"))
                value.appendQuoted(to: &line)
            }
            line.append(contentsOf: "}\n".utf8)
        case .text:
            time.append(to: &line)
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: level.name.utf8)
            line.append(
                contentsOf: repeatElement(UInt8(ascii: " "), count: 8 - level.name.utf8.count))
            LogText.append(event, to: &line)
            for (key, value) in fields {
                line.append(UInt8(ascii: " "))
                LogText.append(key, to: &line)
                line.append(UInt8(ascii: "="))
                value.appendQuoted(to: &line)
            }
            line.append(UInt8(ascii: "\n"))
        }
    }
}

extension LogLevel {
    /// The level as log lines and settings spell it.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

extension LogValue {
    fileprivate func appendQuoted(to line: inout [UInt8]) {
        switch self {
        case .text(let text): LogText.appendQuoted(text, to: &line)
        case .number(let number): line.append(contentsOf: String(number).utf8)
        case .flag(let flag): line.append(contentsOf: (flag ? "true" : "false").utf8)
        }
    }
}
