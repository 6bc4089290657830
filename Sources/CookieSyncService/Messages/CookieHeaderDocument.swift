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
            JSONText.isPlain(UnsafeBufferPointer(rebasing: $0[start...]))
        }
        if !isPlain { rewrite(from: start, &output) }
        output.append(addingCapacity: restBytes) { output in
            output.append("\",\"count\":")
            DecimalDigits.append(UInt64(summary?.count ?? 0), to: &output)
            output.append(",\"revision\":")
            DecimalDigits.append(revision, to: &output)
            output.append(",\"expires_at\":")
            if let expiresAt = summary?.expiresAt {
                output.append(UInt8(ascii: "\""))
                RFC3339.append(milliseconds: expiresAt.milliseconds, to: &output)
                output.append(UInt8(ascii: "\""))
            } else {
                output.append("null")
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// More than what follows the header takes.
    private static let restBytes = 48 + 2 * DecimalDigits.maximumBytes + RFC3339.maximumBytes

    /// Writes the header's value anew, escaped or, where it is not UTF-8, in base 64.
    private static func rewrite(from start: Int, _ output: inout [UInt8]) {
        let header = Array(output[start...])
        output.removeAll(keepingCapacity: true)
        if UTF8Text.isValid(header) {
            append("{\"cookie\":\"", to: &output)
            header.withUnsafeBufferPointer { JSONText.append($0, to: &output) }
        } else {
            append("{\"cookie_base64\":\"", to: &output)
            Base64.encode(header, to: &output)
        }
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }
}
