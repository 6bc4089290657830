// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Folded Set-Cookie headers")
struct FoldedHeaderTests {
    private static let date = "Sun, 04-Apr-2027 12:54:59 GMT"

    @Test(
        "Lines that can be told apart for certain",
        arguments: [
            ("a=1; Path=/", ["a=1; Path=/"]),
            ("a=1; Path=/, b=2; Path=/", ["a=1; Path=/", "b=2; Path=/"]),
            ("a=1; Expires=\(date), b=2", ["a=1; Expires=\(date)", "b=2"]),
            ("a=1; expires = \(date) , b=2", ["a=1; expires = \(date)", "b=2"]),
            ("a=1; Secure,b=2; HttpOnly, c=3", ["a=1; Secure", "b=2; HttpOnly", "c=3"]),
            ("a=1; Max-Age=5,b=2", ["a=1; Max-Age=5", "b=2"]),
            ("a=1; Domain=x.example,\t b =2", ["a=1; Domain=x.example", "b =2"]),
            ("a=1; SameSite=Lax, b=2", ["a=1; SameSite=Lax", "b=2"]),
            ("a=1; Expires=\(date); Path=/", ["a=1; Expires=\(date); Path=/"]),
            (
                "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, USER_x=3",
                ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "USER_x=3"]
            ),
            ("", [""]),
        ])
    func certain(value: String, expected: [String]) {
        let folded = FoldedHeader(splitting: Array(value.utf8))
        #expect(folded.lines == expected.map { Array($0.utf8) })
        #expect(!folded.isAmbiguous)
        #expect(FoldedHeader.split(Array(value.utf8)) == folded.lines)
    }

    @Test(
        "Lines that could be read otherwise: split by the rule, and said so",
        arguments: [
            ("a=1, b=2", ["a=1", "b=2"]),
            ("a=1,b=2; Path=/", ["a=1", "b=2; Path=/"]),
            ("a=1, 2; Path=/", ["a=1, 2; Path=/"]),
            ("a=1; Path=/x,b=2", ["a=1; Path=/x", "b=2"]),
            ("a=1; Path=/, nameless", ["a=1; Path=/, nameless"]),
            ("j={\"a\":1, \"b\":2}; Path=/", ["j={\"a\":1, \"b\":2}; Path=/"]),
            ("a=1; Expires=Wed, b=2", ["a=1; Expires=Wed, b=2"]),
            ("a=1; Expires=0, b=2", ["a=1; Expires=0", "b=2"]),
            ("a=1; Expires=, b=2", ["a=1; Expires=", "b=2"]),
            ("a=1; Comment=x, b=2", ["a=1; Comment=x", "b=2"]),
            ("a=1,", ["a=1,"]),
            ("expires=Wed, b=2", ["expires=Wed", "b=2"]),
        ])
    func ambiguous(value: String, expected: [String]) {
        let folded = FoldedHeader(splitting: Array(value.utf8))
        #expect(folded.lines == expected.map { Array($0.utf8) })
        #expect(folded.isAmbiguous)
    }

    @Test("Work is linear in the length", arguments: ["a,", ",", ", ", "b,c=", "a=1; Expires=b,"])
    func linear(unit: String) {
        let value = Array(String(repeating: unit, count: 400_000 / unit.utf8.count).utf8)
        let seconds = ProcessorTime.seconds { _ = FoldedHeader.split(value) }
        #expect(seconds < 10)
    }
}
