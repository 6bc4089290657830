// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("The chunked coding")
struct ChunkedBodyTests {
    struct Outcome: Equatable {
        var content: [UInt8] = []
        var last = ChunkedBody.Event.needsMore
        var used = 0
    }

    private func decode(
        _ pieces: [ArraySlice<UInt8>], limit: Int = 1 << 20, limits: HTTPLimits = HTTPLimits(),
        fields: Int = 0
    ) -> Outcome {
        var head = RequestHead()
        head.fieldCount = fields
        var decoder = ChunkedBody(after: head, limit: limit)
        var outcome = Outcome()
        for piece in pieces {
            let bytes = Array(piece)
            var offset = 0
            loop: while true {
                let event = decoder.next(bytes.span, &offset, limits: limits)
                switch event {
                case .data(let range): outcome.content += bytes[range]
                case .needsMore: break loop
                case .end, .fault:
                    outcome.last = event
                    // How much of a broken piece was looked at says nothing.
                    outcome.used = event == .end ? outcome.used + offset : 0
                    return outcome
                }
            }
            outcome.used += bytes.count
        }
        return outcome
    }

    private func decode(_ text: String) -> Outcome { decode([Array(text.utf8)[...]]) }

    @Test(
        "content that is taken",
        arguments: [
            ("0\r\n\r\n", ""), ("7\r\nabcdefg\r\n0\r\n\r\n", "abcdefg"),
            ("1\r\na\r\n0A\r\n0123456789\r\n000\r\n\r\n", "a0123456789"),
            ("3;a;b=c;d=\"q;\\\"\"\r\nabc\r\n0;x\r\n\r\n", "abc"),
            ("3 ; a = b ; c\r\nabc\r\n0\r\n\r\n", "abc"),
            ("1\r\na\r\n0\r\nX: 1\r\nY:\r\n\r\n", "a"),
            ("0000000000000001\r\na\r\n0\r\n\r\n", "a"),
        ])
    func takes(_ text: String, _ content: String) {
        let outcome = decode(text + "GET")
        #expect(outcome.last == .end)
        #expect(outcome.content == Array(content.utf8))
        #expect(outcome.used == text.utf8.count)
    }

    static let broken: [(String, HTTPFault)] = [
        ("0x7\r\n", .malformedChunk), ("+7\r\n", .malformedChunk), ("-0\r\n", .malformedChunk),
        ("7 \r\n", .malformedChunk), (" 7\r\n", .malformedChunk), ("0_7\r\n", .malformedChunk),
        ("7g\r\n", .malformedChunk), ("\r\n", .malformedChunk), (";a\r\n", .malformedChunk),
        ("7\n", .malformedChunk), ("7\rabcdefg", .malformedChunk), ("7;\r\n", .malformedChunk),
        ("7;a=\r\n", .malformedChunk), ("7;a \r\n", .malformedChunk), ("7;a;\r\n", .malformedChunk),
        ("7;a=\"b\r\n", .malformedChunk), ("7;a=b c\r\n", .malformedChunk),
        ("7;a\nb\r\n", .malformedChunk), ("7;a=\"b\"c\r\n", .malformedChunk),
        ("7;=b\r\n", .malformedChunk),
        ("10000000000000007\r\n", .malformedChunk), ("ffffffffffffffff\r\n", .bodyTooLarge),
        ("100001\r\n", .bodyTooLarge), ("\u{ff17}\r\n", .malformedChunk),
        ("1\r\nabc", .malformedChunk), ("1\r\na\n0\r\n\r\n", .malformedChunk),
        ("1\r\na\r0\r\n\r\n", .malformedChunk), ("0\r\nX\r\n\r\n", .malformedField),
        ("0\r\nX : a\r\n\r\n", .malformedField), ("0\r\n X: a\r\n\r\n", .malformedField),
        ("0\r\nX: a\n\r\n", .malformedField), ("0\r\nX: a\rb\r\n", .malformedField),
        ("0\r\nX: \u{0}\r\n\r\n", .malformedField), ("0\r\n\rX", .malformedField),
        ("0\r\n\n", .malformedField),
    ]

    @Test("content that is refused", arguments: broken)
    func refuses(_ text: String, _ fault: HTTPFault) {
        #expect(decode(text).last == .fault(fault))
    }

    @Test("the content's limit holds at n and fails at n + 1, at the size line")
    func limit() {
        let text = Array("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".utf8)[...]
        #expect(decode([text], limit: 5).last == .end)
        #expect(decode([text], limit: 4).last == .fault(.bodyTooLarge))
        #expect(decode([text], limit: 4).content == Array("abc".utf8))
        #expect(decode([text], limit: -1).last == .fault(.bodyTooLarge))
    }

    @Test("trailers share the limits of the head's fields")
    func trailers() {
        let text = Array("0\r\nX: 1\r\nY: 2\r\n\r\n".utf8)[...]
        #expect(decode([text], fields: 98).last == .end)
        #expect(decode([text], fields: 99).last == .fault(.fieldsTooLarge))
        let long = Array(("0\r\nX: " + String(repeating: "a", count: 20_000)).utf8)[...]
        #expect(decode([long]).last == .fault(.fieldsTooLarge))
    }

    @Test("size lines and extensions cannot be read without end")
    func wastefulLines() {
        func size(_ count: Int) -> ArraySlice<UInt8> {
            Array(("1;" + String(repeating: "a", count: count - 2) + "\r\na\r\n0\r\n\r\n").utf8)[
                ...]
        }
        #expect(decode([size(256)]).last == .end)
        #expect(decode([size(257)]).last == .fault(.malformedChunk))
        let chunk = "1;" + String(repeating: "a", count: 200) + "\r\na\r\n"
        let many = Array((String(repeating: chunk, count: 100) + "0\r\n\r\n").utf8)[...]
        #expect(decode([many]).last == .fault(.malformedChunk))
    }

    @Test("every split gives the same content and the same end")
    func splits() {
        let good = [
            "3;a=\"\\\"b\"\r\nabc\r\n00a;x\r\n0123456789\r\n0\r\nX-T: 1\r\nY:\t\r\n\r\nGET / ",
            "1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
        ]
        for text in good + Self.broken.map(\.0) {
            let pieces = Splits.of(Array(text.utf8))
            let whole = decode(pieces[0])
            for split in pieces.dropFirst() { #expect(decode(split) == whole, "\(text)") }
        }
    }
}
