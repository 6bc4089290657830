// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncWire

/// What a text comes to: taken, not JSON (and where), or too large.
private enum Outcome: Equatable, CustomTestStringConvertible {
    case taken
    case malformed(at: Int)
    case tooLarge

    init(_ text: [UInt8], limits: JSONLimits = JSONLimits()) {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: text, limits: limits)
            self = .taken
        } catch {
            switch error {
            case .malformed(let offset, _): self = .malformed(at: offset)
            case .tooLarge: self = .tooLarge
            }
        }
    }

    var testDescription: String { "\(self)" }
}

@Suite("The strict JSON reader")
struct JSONParserTests {
    @Test(
        "takes what RFC 8259 calls JSON",
        arguments: [
            "null", " true ", "false", "0", "-0", "-0.5e+10", "1E400", "\"\"", "[]", "{}",
            "\t\r\n [1 , 2 ] \n", "{\"a\":{\"b\":[{}]}}",
            "\"\\u00e9\\uD834\\uDD1E\\/\\b\\f\\n\\r\\t\"",
            "\"\u{7f}\u{80}é€𝄞\"", "{\"café\":1,\"cafe\u{301}\":2}",
        ])
    func takes(_ text: String) {
        #expect(Outcome(Array(text.utf8)) == .taken)
    }

    @Test(
        "refuses everything else, and says where it stops being JSON",
        arguments: [
            ("", 0), (" ", 1), ("{", 1), ("{}x", 2), ("{}{}", 2), ("{}\u{0}", 2), ("\u{feff}{}", 0),
            ("{\"a\":[],}", 8), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("{\"a\" 1}", 5),
            ("{1:2}", 1),
            ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("01", 1), ("+1", 0), (".5", 0),
            ("1.", 2),
            ("0x10", 1), ("1_000", 1), ("--1", 1), ("1e", 2), ("-", 1), ("nul", 0), ("True", 0),
            ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\uZZZZ\"", 1), ("\"\\U0041\"", 1), ("\"a", 2),
            ("\"\\ud800\"", 1), ("\"\\udc00\"", 1), ("\"\\ud800\\u0041\"", 1), ("\"\n\"", 1),
            ("'a'", 0), ("[1]//", 3),
        ])
    func refuses(_ text: String, offset: Int) {
        #expect(Outcome(Array(text.utf8)) == .malformed(at: offset))
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
            [0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3, 0x28],
        ] as [[UInt8]])
    func refusesOtherEncodings(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(Outcome([quote] + bytes + [quote]) == .malformed(at: 1))
    }

    @Test("refuses UTF-16 with and without a byte order mark")
    func refusesUTF16() {
        let littleEndian: [UInt8] = [0x7B, 0, 0x7D, 0]
        let bigEndian: [UInt8] = [0xFE, 0xFF, 0, 0x7B, 0, 0x7D]
        #expect(Outcome(littleEndian) == .malformed(at: 1))
        #expect(Outcome(bigEndian) == .malformed(at: 0))
    }

    @Test(
        "finds the first name that an object has twice, however it is spelt",
        arguments: [
            (#"{"a":1,"a":2}"#, 8), (#"{"a":1,"\u0061":2}"#, 8),
            (#"[{"b":{"c":1,"d":2,"c":3}}]"#, 20),
            (#"{"a":{"b":1},"b":{"a":1}}"#, nil), (#"[{"a":1},{"a":2}]"#, nil),
        ] as [(String, Int?)])
    func findsDuplicates(_ text: String, offset: Int?) throws {
        #expect(try JSONDocument(parsing: Array(text.utf8)).duplicateName == offset)
    }

    @Test("finds a name that an object of many members has twice")
    func findsLateDuplicate() throws {
        let members = (0..<500).map { "\"m\($0)\":0" } + ["\"\\u006d77\":0"]
        let text = Array("{\(members.joined(separator: ","))}".utf8)
        #expect(try JSONDocument(parsing: text).duplicateName == text.count - 12)
    }

    @Test("nests 32 levels and no more, however long the text goes on")
    func limitsDepth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(Outcome(nested(32)) == .taken)
        #expect(Outcome(nested(33)) == .malformed(at: 32))
        #expect(Outcome(Array(String(repeating: "[", count: 100_000).utf8)) == .malformed(at: 32))
        let objects = Array(String(repeating: "{\"a\":", count: 100_000).utf8)
        #expect(Outcome(objects) == .malformed(at: 32 * 5))
    }

    @Test("counts names and values, and takes 20 000")
    func limitsTokens() {
        func array(_ count: Int) -> [UInt8] {
            Array("[\(Array(repeating: "[]", count: count).joined(separator: ","))]".utf8)
        }
        #expect(Outcome(array(19_999)) == .taken)
        #expect(Outcome(array(20_000)) == .tooLarge)
        let members = (0..<10_000).map { "\"m\($0)\":0" }.joined(separator: ",")
        #expect(Outcome(Array("{\(members)}".utf8)) == .tooLarge)
    }

    @Test("measures strings by what they stand for")
    func limitsStrings() {
        func string(_ element: String, _ count: Int) -> [UInt8] {
            Array("\"\(String(repeating: element, count: count))\"".utf8)
        }
        #expect(Outcome(string("a", 65_536)) == .taken)
        #expect(Outcome(string("a", 65_537)) == .tooLarge)
        #expect(Outcome(string("\\u0061", 65_536)) == .taken)
        #expect(Outcome(string("\\u0061", 65_537)) == .tooLarge)
        #expect(Outcome(string("\\ud834\\udd1e", 16_384)) == .taken)
        #expect(Outcome(string("\\ud834\\udd1e", 16_385)) == .tooLarge)
    }

    @Test("a number has at most as many digits as a string has bytes")
    func limitsNumbers() {
        let digits = [UInt8](repeating: UInt8(ascii: "7"), count: 1_000_000)
        #expect(Outcome(digits) == .tooLarge)
        #expect(Outcome(Array(digits.prefix(80))) == .taken)
    }

    @Test("any change of a few bytes is taken or refused, never a trap")
    func survivesMutations() {
        let document = Array(
            #"{"cookies":[{"name":"sid","value":"v\u00e9","domain":"example.com","n":-1.5e3}]}"#
                .utf8)
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        for _ in 0..<20_000 {
            var text = document
            for _ in 0...random(3) {
                let index = random(text.count)
                switch random(3) {
                case 0: text[index] ^= 1 << UInt8(random(8))
                case 1: text.remove(at: index)
                default:
                    text.insert(contentsOf: text[index..<min(text.count, index + 5)], at: index)
                }
            }
            _ = Outcome(text)
        }
    }
}
