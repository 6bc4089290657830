// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Set-Cookie lines (section 5.6)")
struct SetCookieTests {
    private func parse(_ line: String) throws(CookieRejection) -> SetCookie {
        try SetCookie(parsing: Array(line.utf8))
    }

    @Test(
        "Name and value",
        arguments: [
            ("a=b", "a", "b"), (" a \t=\t b ", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
            ("=b", "", "b"), ("b", "", "b"), ("a b=c d", "a b", "c d"), ("a=\"b; c\"", "a", "\"b"),
            ("a\tb=c\td", "a\tb", "c\td"), ("$Version=1", "$Version", "1"), ("==b", "", "=b"),
            ("n=\u{338}v", "n", "\u{338}v"), ("a=;b=c", "a", ""),
            ("a=\u{2000}b\u{A0}", "a", "\u{2000}b\u{A0}"),
        ])
    func pair(line: String, name: String, value: String) throws {
        let cookie = try parse(line)
        // Octets, not characters: `=` and a combining mark are one Character.
        #expect(cookie.name == Array(name.utf8))
        #expect(cookie.value.bytes == Array(value.utf8))
    }

    @Test("Attributes in any case, with blanks, quotes kept")
    func attributes() throws {
        let cookie = try parse(
            "a=b; PATH = /x ;domain=.Example.COM; SECURE; httponly=no;SameSite=strict; partitioned"
                + "; Max-Age=60; expires=Wed, 09 Jun 2021 10:18:14 GMT; unknown=1; ;=;")
        #expect(cookie.path == Array("/x".utf8))
        #expect(cookie.domain == Array(".example.com".utf8))
        #expect(cookie.secure && cookie.httpOnly && cookie.partitioned)
        #expect(cookie.sameSite == .strict)
        #expect(cookie.maxAge == 60)
        #expect(cookie.expires?.seconds == 1_623_233_894)
    }

    @Test("A combining mark does not hide a semicolon")
    func combiningMark() throws {
        #expect(try parse("a=1;\u{301}Secure; Secure").secure)
        #expect(try parse("a=1;\u{301}Secure").value.bytes == Array("1".utf8))
    }

    @Test("The last usable attribute counts")
    func lastCounts() throws {
        #expect(try parse("a=b; Max-Age=1; Max-Age=+5").maxAge == 1)
        #expect(try parse("a=b; Path=/a; Path=b").path == Array("b".utf8))
        #expect(try parse("a=b; Domain=x.example; Domain=").domain == [])
        #expect(try parse("a=b; SameSite=None; SameSite=Bogus").sameSite == .unset)
        #expect(try parse("a=b; SameSite=Bogus; SameSite=Lax").sameSite == .lax)
        let dates = "a=b; Expires=1 Jan 2027 00:00:00; Expires=never"
        #expect(try parse(dates).expires?.seconds == 1_798_761_600)
    }

    @Test(
        "Max-Age",
        arguments: [
            ("0", 0), ("60", 60), ("-1", -1), ("007", 7), ("-0", 0), ("+5", nil), ("", nil),
            ("-", nil), ("60.5", nil), ("\"60\"", nil), ("6 0", nil), ("0x10", nil), ("1e3", nil),
            ("--1", nil), ("\u{661}", nil), ("9223372036854775807", .max),
            ("9223372036854775808", .max), ("99999999999999999999", .max),
            ("-99999999999999999999", .min),
        ] as [(String, Int64?)])
    func maxAge(text: String, expected: Int64?) throws {
        #expect(try parse("a=b; Max-Age=\(text)").maxAge == expected)
    }

    @Test("Control characters other than TAB refuse the line wherever they are")
    func controls() {
        for byte in (UInt8(0)...0x1F).filter({ $0 != 9 }) + [0x7F] {
            for position in 0...2 {
                var line = Array("a=b; Path=/".utf8)
                line.insert(byte, at: [0, 3, line.count][position])
                #expect(throws: CookieRejection.controlCharacter) { try SetCookie(parsing: line) }
            }
        }
    }

    @Test("No octet of a long value is overlooked")
    func longValues() throws {
        for length in [7, 8, 9, 31, 40, 75] {
            for place in 0..<length {
                for octet in UInt8.min...UInt8.max {
                    // Among octets that differ from what is looked for by little.
                    var value = [UInt8](repeating: place % 2 == 0 ? 0x7E : 0xBB, count: length)
                    value[place] = octet
                    let isControl = octet < 0x20 && octet != 0x09 || octet == 0x7F
                    guard !isControl else {
                        #expect(throws: CookieRejection.controlCharacter) {
                            try SetCookie(parsing: Array("n=".utf8) + value)
                        }
                        continue
                    }
                    let isBlank = octet == 0x20 || octet == 0x09
                    guard !isBlank || (place > 0 && place < length - 1) else { continue }
                    let parsed = try SetCookie(parsing: Array("n=".utf8) + value)
                    let end = octet == UInt8(ascii: ";") ? place : length
                    guard parsed.value.bytes == Array(value[..<end]) else {
                        Issue.record("octet \(octet) at \(place) of \(length)")
                        return
                    }
                }
            }
        }
    }

    @Test("A line may be a part of a longer text")
    func part() throws {
        let text = Array("x; a=b; Path=/p; Secure; Domain=C".utf8)
        let line = try SetCookie(parsing: text[3..<15])
        #expect(line.name == Array("a".utf8))
        #expect(line.value.bytes == Array("b".utf8))
        #expect(line.path == Array("/p".utf8))
        #expect(!line.secure)
        #expect(SetCookie.name(of: text[3..<15]) == Array("a".utf8))
        #expect(throws: CookieRejection.emptyCookie) { try SetCookie(parsing: text[3..<3]) }
    }

    @Test("4096 octets of name and value are the most")
    func size() throws {
        let most = String(repeating: "n", count: 2000) + "=" + String(repeating: "v", count: 2096)
        _ = try parse("  \(most)  ; Path=/")
        #expect(throws: CookieRejection.nameValueTooLong) { try parse(most + "v") }
        #expect(throws: CookieRejection.nameValueTooLong) {
            try parse(String(repeating: "é", count: 2049))
        }
    }

    @Test("An attribute value of more than 1024 octets is as if it were not there")
    func attributeSize() throws {
        let long = String(repeating: "x", count: 1023)
        #expect(try parse("a=b; Path=/\(long)").path?.count == 1024)
        #expect(try parse("a=b; Path=/y; Path=/\(long)x").path == Array("/y".utf8))
        #expect(try parse("a=b; Secure=\(long)xx").secure == false)
    }

    @Test("Neither name nor value", arguments: ["", "=", ";", " ", " = ; Path=/", "\t"])
    func empty(line: String) {
        #expect(throws: CookieRejection.emptyCookie) { try parse(line) }
    }

    @Test("The name for reports, of lines that do not parse as well")
    func name() {
        #expect(SetCookie.name(of: Array(" a\u{7} =b".utf8)[...]) == Array("a\u{7}".utf8))
        #expect(SetCookie.name(of: Array("b; c=d".utf8)[...]) == [])
    }

    @Test("Inputs of 65 535 octets take linear time")
    func longInputs() throws {
        let count = 65_535
        let shapes = [
            [UInt8](repeating: UInt8(ascii: "n"), count: count),
            [UInt8](repeating: UInt8(ascii: "="), count: count),
            [UInt8](repeating: UInt8(ascii: " "), count: count),
            Array("a=b".utf8) + [UInt8](repeating: UInt8(ascii: ";"), count: count),
            Array("a=b;".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: count),
            Array("a=b; Expires=".utf8) + [UInt8](repeating: UInt8(ascii: "1"), count: count),
            Array("a=b; Max-Age=".utf8) + [UInt8](repeating: UInt8(ascii: "9"), count: count),
        ]
        // Quadratic work on one of these takes more than ten seconds even in a debug build.
        let seconds = ProcessorTime.seconds {
            for shape in shapes { _ = try? SetCookie(parsing: shape) }
        }
        #expect(throws: CookieRejection.nameValueTooLong) { try SetCookie(parsing: shapes[0]) }
        #expect(seconds < 5)
    }
}
