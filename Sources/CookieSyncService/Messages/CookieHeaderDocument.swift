// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The answer of `GET cookie-header` in JSON (`CookieHeader` in openapi.yaml), written around the header's bytes where
/// they come to stand: only bytes that need escapes are moved.
enum CookieHeaderDocument {
    /// Appends the document to empty output, without a heap allocation once there is room.
    ///
    /// `header` appends the header's value and tells about it.
    static func write(
        revision: UInt64, to output: inout [UInt8],
        header: (inout [UInt8]) -> HeaderSummary?
    ) {
        append("{\"cookie\":\"", to: &output)
        let start = output.count
        let summary = header(&output)
        let isPlain = output.withUnsafeBufferPointer {
            Self.isPlain(UnsafeBufferPointer(rebasing: $0[start...]))
        }
        if !isPlain { rewrite(from: start, &output) }
        append("\",\"count\":", to: &output)
        DecimalDigits.append(UInt64(summary?.count ?? 0), to: &output)
        append(",\"revision\":", to: &output)
        DecimalDigits.append(revision, to: &output)
        append(",\"expires_at\":", to: &output)
        if let expiresAt = summary?.expiresAt {
            output.append(UInt8(ascii: "\""))
            RFC3339.append(milliseconds: expiresAt.milliseconds, to: &output)
            output.append(UInt8(ascii: "\""))
        } else {
            append("null", to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Whether all of the bytes stand for themselves in JSON, which they nearly always do: eight are looked at at once.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return !bytes.contains(where: needsCare) }
        let raw = UnsafeRawBufferPointer(bytes)
        let last = bytes.count - 8
        var found: UInt64 = 0
        var index = 0
        while index < last {
            found |= cares(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        // The last eight, some of which may have been looked at before.
        found |= cares(raw.loadUnaligned(fromByteOffset: last, as: UInt64.self))
        return found & 0x8080_8080_8080_8080 == 0 || !bytes.contains(where: needsCare)
    }

    /// Has the top bit of a byte set for each of eight that needs care; a false alarm costs a slower look.
    private static func cares(_ word: UInt64) -> UInt64 {
        word | word &- ones &* 0x20 | holds(0x7F, word) | holds(UInt8(ascii: "\""), word)
            | holds(UInt8(ascii: "\\"), word)
    }

    private static func holds(_ byte: UInt8, _ word: UInt64) -> UInt64 {
        let difference = word ^ ones &* UInt64(byte)
        return (difference &- ones) & ~difference
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    private static func needsCare(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes the header's value anew, escaped or, where it is not UTF-8, in base 64.
    private static func rewrite(from start: Int, _ output: inout [UInt8]) {
        let header = Array(output[start...])
        output.removeAll(keepingCapacity: true)
        if UTF8Text.isValid(header) {
            append("{\"cookie\":\"", to: &output)
            for byte in header { JSONWriter.appendEscaped(byte, to: &output) }
        } else {
            append("{\"cookie_base64\":\"", to: &output)
            Base64.encode(header, to: &output)
        }
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }
}
