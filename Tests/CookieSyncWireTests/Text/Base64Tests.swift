// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("Base 64")
struct Base64Tests {
    private func encoded(_ bytes: [UInt8], _ alphabet: Base64.Alphabet = .standard) -> String {
        var output: [UInt8] = []
        Base64.encode(bytes, alphabet, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "gives the examples of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func examples(_ text: String, expected: String) {
        #expect(encoded(Array(text.utf8)) == expected)
        #expect(Base64.decode(Array(expected.utf8)) == Array(text.utf8))
    }

    @Test("takes back all it gives, in both alphabets")
    func roundTrip() {
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            #expect(Base64.decode(Array(encoded(bytes).utf8)) == bytes)
            #expect(Base64.decode(Array(encoded(bytes, .urlSafe).utf8), .urlSafe) == bytes)
        }
        #expect(encoded([0xFB, 0xFF], .urlSafe) == "-_8")
    }

    @Test(
        "refuses what is not the one encoding of anything",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Z-==", "=Zg=",
        ])
    func refuses(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }
}
