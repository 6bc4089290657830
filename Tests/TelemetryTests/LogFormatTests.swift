// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Telemetry

/// A text, how it is to be shown, and a name that is safe to print.
struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let shown: String

    init(_ name: String, _ text: String, _ shown: String) {
        (testDescription, self.text, self.shown) = (name, text, shown)
    }
}

private func x(_ count: Int) -> String { String(repeating: "x", count: count) }

private func line(
    _ format: LogFormat, _ event: String, _ fields: KeyValuePairs<String, LogValue> = [:],
    level: LogLevel = .info, at time: LogTime = LogTime(seconds: 0, milliseconds: 0)
) -> String {
    var bytes: [UInt8] = []
    format.append(event, level: level, at: time, fields: fields, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("How log lines look")
struct LogFormatTests {
    @Test("JSON has time, level, event and the fields in order")
    func json() {
        let fields: KeyValuePairs<String, LogValue> = [
            "path": "./data", "tenants": 2, "open": true,
        ]
        #expect(
            line(.json, "open storage", fields, level: .warning)
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"warning","event":"open storage","#
                + #""path":"./data","tenants":2,"open":true}"# + "\n")
    }

    @Test("text lines up its levels")
    func text() {
        #expect(
            line(.text, "listen", ["port": 8080])
                == "1970-01-01T00:00:00.000Z info    listen port=8080\n")
        #expect(
            line(.text, "listen", ["host": "::1"], level: .warning)
                == #"1970-01-01T00:00:00.000Z warning listen host="::1""# + "\n")
    }

    @Test(
        "nothing ends a line early or reaches a terminal as a command",
        arguments: [
            Sample("LF", "a\nb", #"a\nb"#), Sample("CRLF", "a\r\nb", #"a\r\nb"#),
            Sample("TAB", "a\tb", #"a\tb"#), Sample("ESC", "\u{1B}[2J", #"\u001b[2J"#),
            Sample("NUL", "a\u{0}b", #"a\u0000b"#), Sample("DEL", "\u{7F}", #"\u007f"#),
            Sample("NEL", "\u{85}", #"\u0085"#), Sample("CSI", "\u{9B}2J", #"\u009b2J"#),
            Sample("LS", "\u{2028}", #"\u2028"#), Sample("PS", "\u{2029}", #"\u2029"#),
            Sample("RLO", "\u{202E}evil", #"\u202eevil"#), Sample("LRI", "\u{2066}", #"\u2066"#),
            Sample("quotes", #"say "hi" \"#, #"say \"hi\" \\"#),
            Sample("letters", "a\u{301}b é 😀", "a\u{301}b é 😀"),
        ])
    func escapes(sample: Sample) {
        for format in LogFormat.allCases {
            let shown = line(format, sample.text, ["key": .text(sample.text)])
            #expect(shown.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            #expect(shown.contains("\"\(sample.shown)\""))
            #expect(shown.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        }
        #expect(line(.json, sample.text).contains(#""event":"\#(sample.shown)""#))
    }

    @Test(
        "text is cut at 256 bytes, never inside a scalar",
        arguments: [
            Sample("256", x(256), x(256)), Sample("257", x(257), x(256) + "…"),
            Sample("10 000", x(10_000), x(256) + "…"),
            Sample("two-byte scalars", x(255) + "é", x(255) + "…"),
            Sample("a four-byte scalar", x(254) + "😀", x(254) + "…"),
            Sample("a scalar that just fits", x(252) + "😀", x(252) + "😀"),
        ])
    func cuts(sample: Sample) {
        #expect(
            line(.json, "e", ["key": .text(sample.text)]).contains("\"key\":\"\(sample.shown)\"}"))
    }

    @Test(
        "times are the civil calendar's",
        arguments: [
            (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"),
            (951_868_800, "2000-03-01T00:00:00"), (1_709_251_199, "2024-02-29T23:59:59"),
            (4_107_542_400, "2100-03-01T00:00:00"), (253_402_300_799, "9999-12-31T23:59:59"),
        ])
    func times(seconds: Int, shown: String) {
        let time = LogTime(seconds: seconds, milliseconds: 7)
        #expect(line(.text, "e", at: time).hasPrefix("\(shown).007Z "))
    }
}
