// SPDX-License-Identifier: Apache-2.0

/// Text on its way into a log line.
///
/// It is cut, and everything is escaped that could end the line, start a terminal sequence or turn the reading
/// direction. The escapes are JSON's, in both formats.
enum LogText {
    /// Longer text is cut here, at a whole scalar; an ellipsis says so.
    static let maximumBytes = 256

    /// Appends the text in double quotes.
    static func appendQuoted(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        append(text, to: &line)
        line.append(UInt8(ascii: "\""))
    }

    /// Appends the text without quotes around it.
    static func append(_ text: String, to line: inout [UInt8]) {
        var taken = 0
        for scalar in text.unicodeScalars {
            taken += UTF8.width(scalar)
            guard taken <= maximumBytes else {
                line.append(contentsOf: "…".utf8)
                return
            }
            append(scalar, to: &line)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
        switch scalar {
        case "\"", "\\":
            line.append(UInt8(ascii: "\\"))
            line.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n": line.append(contentsOf: #"\n"#.utf8)
        case "\r": line.append(contentsOf: #"\r"#.utf8)
        case "\t": line.append(contentsOf: #"\t"#.utf8)
        case _ where mustEscape(scalar): appendEscape(scalar, to: &line)
        default: line.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
        }
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x2028, 0x2029: true  // line and paragraph separator
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction marks
        default: false
        }
    }

    /// `\u` and four digits: every scalar that needs it lies below U+10000.
    private static func appendEscape(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
        line.append(contentsOf: #"\u"#.utf8)
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: (scalar.value >> shift) & 0xF)
            line.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
