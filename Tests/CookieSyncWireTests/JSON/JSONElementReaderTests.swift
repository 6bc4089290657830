// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncWire

@Suite("JSON that comes in pieces")
struct JSONElementReaderTests {
    private func read(
        _ text: [UInt8], _ places: [JSONPlace], by size: Int
    ) throws(JSONError) -> [JSONElement] {
        var reader = JSONElementReader(places)
        var rest = text[...]
        while !rest.isEmpty {
            try reader.take(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        try reader.finish()
        return reader.elements
    }

    private static let text =
        #" {"a\u0062/~" : [1, {"x":"é\"\\"}, "y" ] ,"n":[ ],"z":{"a":[true]}, "list":[-1.5e3,null,[[]]]} "#

    @Test(
        "values at the wanted places come with their pointers, wherever the pieces end",
        arguments: 1...9)
    func elements(size: Int) throws {
        let places = [
            JSONPlace([.member("ab/~"), .any]), JSONPlace([.member("list"), .any]),
            JSONPlace([.member("z")], needsContent: false),
        ]
        let elements = try read(Array(Self.text.utf8), places, by: size)
        #expect(
            elements.map(\.pointer) == [
                "/ab~1~0/0", "/ab~1~0/1", "/ab~1~0/2", "/z", "/list/0", "/list/1", "/list/2",
            ])
        #expect(elements.map(\.place) == [0, 0, 0, 2, 1, 1, 1])
        #expect(try elements[1].value?.openObject?["x"]?.string() == Array("é\"\\".utf8))
        #expect(elements[3].value == nil)
        #expect(try elements[4].value?.number() == -1500)
    }

    @Test(
        "what the whole parser refuses is refused, and nothing else, at every cut and every octet")
    func agreement() {
        let text = Array(Self.text.utf8)
        var texts = (0...text.count).map { Array(text[..<$0]) }
        for index in text.indices {
            for byte: UInt8 in [
                0x00, 0x22, 0x2C, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xED,
            ] {
                texts.append(text)
                texts[texts.count - 1][index] = byte
            }
        }
        for text in texts {
            for places in [[], [JSONPlace([.any])], [JSONPlace([])]] {
                let whole = (try? JSONDocument(parsing: text)) != nil
                let pieces = (try? read(text, places, by: 3)) != nil
                #expect(whole == pieces, "\(String(decoding: text, as: UTF8.self))")
            }
        }
    }

    @Test(
        "half a surrogate pair is passed over, and U+0000 where it is wanted",
        arguments: [
            (#"\ud83d"#, "\0"), (#"x\uDC00y"#, "x\0y"), (#"\ud83dx"#, "\0x"),
            (#"\ud83d\n"#, "\0\n"), (#"\ud83d\u0041"#, "\0A"),
            (#"\ud83d\ud83d\ude00"#, "\0\u{1F600}"), (#"\ud83d\ude00\ude00"#, "\u{1F600}\0"),
        ])
    func halves(escapes: String, text: String) throws {
        let file = Array(#"["\#(escapes)",{"\#(escapes)":1}]"#.utf8)
        for size in 1...7 {
            let elements = try read(file, [JSONPlace([.any])], by: size)
            #expect(try elements[0].value?.string() == Array(text.utf8))
            #expect(try read(file, [], by: size).isEmpty)
        }
    }

    @Test("an element that is too long is refused before it is held, a long string is cut")
    func limits() throws {
        var limits = JSONElementLimits()
        limits.elementBytes = 64
        limits.stringBytes = 8
        var reader = JSONElementReader([JSONPlace([.any])], limits: limits)
        try reader.take(Array(#"["0123456é789\u00e9x"#.utf8)[...])
        try reader.take(Array((String(repeating: "x", count: 200) + "\"]").utf8)[...])
        try reader.finish()
        #expect(try reader.elements[0].value?.string() == Array("0123456é".utf8))
        var other = JSONElementReader([JSONPlace([.any])], limits: limits)
        #expect(throws: JSONError.tooLarge(offset: 1, what: "an element")) {
            try other.take(Array(("[[" + String(repeating: "1,", count: 40)).utf8)[...])
        }
    }
}
