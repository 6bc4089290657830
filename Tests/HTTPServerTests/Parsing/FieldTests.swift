// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("Fields, dates and byte helpers")
struct FieldTests {
    @Test(
        "RFC 9110 §12.5.3: whether gzip is accepted",
        arguments: [
            ([], false), (["gzip"], true), (["GZIP"], true), (["x-gzip"], true),
            (["deflate, br"], false),
            (["gzip;q=0"], false), (["gzip; q=0.0"], false), (["gzip;q=0.000"], false),
            (["gzip;q=0.001"], true), (["*"], true), (["*;q=0"], false), (["gzip;q=0, *"], false),
            (["identity, gzip;q=0.5"], false), (["identity;q=0.5, gzip;q=0.5"], true),
            (["identity;q=0.5, *;q=1"], true), (["br", "gzip"], true), (["gzip;q=1.5"], false),
            (["gzip;q=x"], false), (["gzip;q="], false), (["gzip;level=1"], false),
            ([" , gzip ,"], true),
            (["gzipped"], false), ([""], false),
        ] as [([String], Bool)])
    func acceptEncoding(_ values: [String], _ accepted: Bool) {
        var preference = AcceptEncoding()
        for value in values {
            let bytes = Array(value.utf8)
            preference.take(bytes.span, 0..<bytes.count)
        }
        #expect(preference.acceptsGzip == accepted)
    }

    @Test(
        "RFC 9110 §5.6.7: dates",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] as [(Int64, String)])
    func dates(_ seconds: Int64, _ text: String) {
        var output: [UInt8] = []
        HTTPDate.append(seconds, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }

    @Test("control characters are found wherever they are, and nothing else is taken for one")
    func fieldContent() {
        for position in 0..<20 {
            for byte in UInt8.min...UInt8.max {
                var value = [UInt8](repeating: 0x80, count: 20)
                value[position] = byte
                let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7F
                let isContent = value.span.isFieldContent
                #expect(isContent == !isControl)
            }
        }
    }

    @Test(
        "byte sets are the letters, the digits and what the grammar adds",
        arguments: [
            (ByteSet.token, "!#$%&'*+-.^_`|~"), (ByteSet.path, "-._~!$&'()*+,;=:@/"),
            (ByteSet.query, #"-._~!$&'()*+,;=:@/?%[]{}|^`\"#), (ByteSet.hostName, "-._~"),
            (ByteSet.addressLiteral, ":."),
        ])
    func byteSets(_ set: ByteSet, _ others: String) {
        for byte in UInt8.min...UInt8.max {
            let isAlphanumeric =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            let isMember = isAlphanumeric || others.utf8.contains(byte)
            #expect(set.contains(byte) == isMember)
            #expect(set.containsAll([0x30, byte, 0x7A].span) == isMember)
        }
    }

    @Test("letters are compared without regard to case, other bytes exactly")
    func caseFolding() {
        for byte in UInt8.min...UInt8.max {
            for other in UInt8.min...UInt8.max {
                let letters = (byte | 0x20) == (other | 0x20) && (0x61...0x7A).contains(byte | 0x20)
                let isEqual = [byte].span.equalsIgnoringCase([other].span)
                #expect(isEqual == (byte == other || letters))
            }
        }
    }

    @Test(
        "numbers are written as they are read",
        arguments: [0, 7, 10, 99, 100, 65_535, 1 << 40, Int.max])
    func numbers(_ number: Int) {
        var decimal: [UInt8] = []
        decimal.append(addingCapacity: 20) { $0.append(decimal: number) }
        #expect(String(decoding: decimal, as: UTF8.self) == String(number))
        var hexadecimal: [UInt8] = []
        hexadecimal.append(hexadecimal: number)
        #expect(String(decoding: hexadecimal, as: UTF8.self) == String(number, radix: 16))
    }

    @Test(
        "response fields that would break the head, or that are the server's, are refused and counted"
    )
    func responseFields() {
        var fields = HTTPFields()
        let accepted = [
            fields.append("X-A", "b"),
            fields.append("X-D", Array("ü\t".utf8)),
        ]
        let refused = [
            fields.append("X-B", Array("a\r\nX-C: d".utf8)),
            fields.append("X-B", [0x61, 0x0A]),
            fields.append("X-B", [0x00]),
            fields.append(Array("X B".utf8), Array("c".utf8)),
            fields.append([], Array("c".utf8)),
            fields.append("content-length", "1"),
            fields.append("Transfer-Encoding", "chunked"),
            fields.append("Connection", "close"),
            fields.append("Date", "now"),
        ]
        #expect(accepted == [true, true])
        #expect(refused.allSatisfy { !$0 })
        #expect(fields.refusedCount == 9)
        #expect(fields.first("x-a") == Array("b".utf8))
        #expect(fields.first("x-b") == nil)
        #expect(fields.lines == Array("X-A: b\r\nX-D: ü\t\r\n".utf8))
    }

    @Test(
        "whether Vary covers the coding already",
        arguments: [
            ("Accept", false), ("Accept, accept-encoding", true), ("*", true),
            ("Accept-Encoding-X", false),
        ])
    func vary(_ value: String, _ covers: Bool) {
        #expect(HTTPFields(["Vary": value]).variesByEncoding == covers)
    }
}
