// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("What stands in a JSON string as it is")
struct JSONTextTests {
    /// Every octet at every place of a text that is longer than several words.
    @Test("A run ends at the first octet that is not plain, wherever it stands")
    func plainRun() {
        for length in Array(0...19) + [32, 40, 41, 75] {
            for place in 0..<length {
                for octet in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "~"), count: length)
                    text[place] = octet
                    let isPlain = (0x20..<0x80).contains(octet) && octet != 0x22 && octet != 0x5C
                    let run = text.withUnsafeBufferPointer(JSONText.plainRun)
                    guard run == (isPlain ? length : place) else {
                        Issue.record("octet \(octet) at \(place) of \(length): \(run)")
                        return
                    }
                }
            }
        }
    }

    @Test("What is written is read back, and only what must be is escaped", arguments: 0..<20)
    func roundTrip(_ place: Int) throws {
        for scalar in ["\"", "\\", "\n", "\u{1f}", "\u{7f}", "é", "😀", "a"] {
            var text = Array("01234567890123456789".utf8)
            text.insert(contentsOf: Array(scalar.utf8), at: place)
            var output: [UInt8] = []
            text.withUnsafeBufferPointer { JSONText.append($0, to: &output) }
            let escaped =
                switch scalar {
                case "\"": "\\\""
                case "\\": "\\\\"
                case "\n": "\\n"
                case "\u{1f}": "\\u001f"
                default: scalar
                }
            var expected = Array("01234567890123456789".utf8)
            expected.insert(contentsOf: Array(escaped.utf8), at: place)
            #expect(output == expected)
        }
    }
}
