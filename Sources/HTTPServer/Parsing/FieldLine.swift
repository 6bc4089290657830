// SPDX-License-Identifier: Apache-2.0

/// One field line: `name ":" OWS value OWS` (RFC 9112 §5).
enum FieldLine {
    /// Finds name and value in a line without its CRLF.
    ///
    /// - Throws: `malformedField`, for anything but a token right before the colon, and for control characters.
    static func read(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFault) -> FieldRange {
        let token = ByteSet.token
        var colon = line.lowerBound
        while colon < line.upperBound, token.contains(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == ASCII.colon else {
            throw .malformedField
        }
        let value = trim(bytes, (colon + 1)..<line.upperBound)
        guard bytes.extracting(value).isFieldContent else { throw .malformedField }
        return FieldRange(
            name: ByteRange(line.lowerBound, colon),
            value: ByteRange(value.lowerBound, value.upperBound))
    }

    /// A range without the spaces and tabs at its ends, and without nothing else.
    static func trim(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }

    /// Calls a closure with each element of a comma-separated list (RFC 9110 §5.6.1), trimmed; empty ones are left out.
    static func forEachElement(
        of bytes: Span<UInt8>, in range: Range<Int>, _ body: (Range<Int>) -> Void
    ) {
        var start = range.lowerBound
        while start <= range.upperBound {
            var end = start
            while end < range.upperBound, bytes[end] != ASCII.comma { end += 1 }
            let element = trim(bytes, start..<end)
            if !element.isEmpty { body(element) }
            start = end + 1
        }
    }
}
