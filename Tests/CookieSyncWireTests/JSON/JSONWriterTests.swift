// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("puts commas between members and elements only")
    func commas() {
        let written = text { writer in
            writer.beginObject()
            writer.name("a")
            writer.beginArray()
            writer.integer(1)
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.endArray()
            writer.name("b")
            writer.bool(false)
            writer.endObject()
        }
        #expect(written == #"{"a":[1,{},null],"b":false}"#)
    }

    @Test("escapes what must be escaped, and what it writes reads back the same")
    func strings() throws {
        let bytes = Array(0..<0x80) + Array("é€𝄞".utf8)
        var writer = JSONWriter()
        writer.string(bytes)
        #expect(try JSONDocument(parsing: writer.bytes).root.string() == bytes)
    }

    @Test("bytes that are not UTF-8 go under the other name, in base 64")
    func base64() {
        let written = text { writer in
            writer.beginObject()
            writer.member("name", orBase64: "name_base64", Array("é".utf8))
            writer.member("value", orBase64: "value_base64", [0xFF])
            writer.endObject()
        }
        #expect(written == #"{"name":"é","value_base64":"/w=="}"#)
    }

    @Test("writes whole numbers to the ends of their range")
    func numbers() {
        #expect(text { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(text { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(text { $0.integer(0) } == "0")
        #expect(text { $0.integer(10) } == "10")
    }

    @Test("reads decimal digits and nothing else")
    func decimals() {
        #expect(DecimalDigits.parse("18446744073709551615".utf8) == .max)
        #expect(DecimalDigits.parse("0007".utf8) == 7)
        for text in ["", "+5", "-0", "1e2", "18446744073709551616", "١"] {
            #expect(DecimalDigits.parse(text.utf8) == nil, "\(text)")
        }
    }
}
