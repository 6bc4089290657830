// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncService

@Suite("The document of cookie-header")
struct CookieHeaderDocumentTests {
    private func document(_ header: [UInt8]) -> String {
        var output: [UInt8] = []
        CookieHeaderDocument.write(revision: 7, to: &output) { output in
            output += header
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func expected(_ member: String) -> String {
        #"{\#(member),"count":0,"revision":7,"expires_at":null}"#
    }

    @Test("a byte that needs an escape gets it, wherever it stands", arguments: 1...40)
    func escapes(count: Int) {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        #expect(
            document(plain) == expected(#""cookie":"\#(String(repeating: "a", count: count))""#))
        for index in plain.indices {
            let before = String(repeating: "a", count: index)
            let after = String(repeating: "a", count: count - index - 1)
            for (byte, text) in [(UInt8(ascii: "\""), #"\""#), (UInt8(ascii: "\\"), #"\\"#)] {
                var header = plain
                header[index] = byte
                #expect(document(header) == expected(#""cookie":"\#(before)\#(text)\#(after)""#))
            }
            for byte in UInt8(0x80)...0xFF {
                var header = plain
                header[index] = byte
                #expect(document(header).hasPrefix(#"{"cookie_base64":""#))
            }
        }
    }
}
