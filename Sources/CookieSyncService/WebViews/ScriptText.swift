// SPDX-License-Identifier: Apache-2.0

/// Text that goes into a script: ASCII only, whatever it is made of.
enum ScriptText {
    /// Appends a string literal that stands for some UTF-8.
    ///
    /// All but plain ASCII is written as `\uXXXX`: quotes and backslashes, which could end the literal; `<`, `>` and `&`,
    /// which could end a script element or open a comment of HTML; U+2028 and U+2029, which end a line. So the literal
    /// means the same in a file of any charset, in an element and in an attribute.
    static func appendLiteral(_ text: [UInt8], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for unit in String(decoding: text, as: UTF8.self).utf16 {
            if isPlain(unit) {
                output.append(UInt8(truncatingIfNeeded: unit))
            } else {
                output.append(contentsOf: "\\u".utf8)
                appendHexadecimal(UInt8(truncatingIfNeeded: unit >> 8), to: &output)
                appendHexadecimal(UInt8(truncatingIfNeeded: unit), to: &output)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends some bytes as `%XX` each, so that nothing in them is a text of its own.
    static func appendPercentEncoded(_ bytes: [UInt8], to output: inout [UInt8]) {
        for byte in bytes {
            output.append(UInt8(ascii: "%"))
            appendHexadecimal(byte, to: &output)
        }
    }

    private static func isPlain(_ unit: UInt16) -> Bool {
        guard 0x20..<0x7F ~= unit else { return false }
        switch UInt8(unit) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "`"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
            return false
        default:
            return true
        }
    }

    private static func appendHexadecimal(_ byte: UInt8, to output: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        digits.withUTF8Buffer {
            output.append($0[Int(byte >> 4)])
            output.append($0[Int(byte & 0x0F)])
        }
    }
}
