// SPDX-License-Identifier: Apache-2.0
// The head of a request (RFC 9112 §2–§6), read line by line in the strictest way the RFC allows an origin: CRLF ends a
// line and nothing else does, there is no folding, no space before the colon, no control character but TAB in a value.
// Where proxies and servers are known to read differently, the request is refused instead of interpreted.
//
// The parser is a state machine over a window that begins at the request's first byte. It is called again when the
// window has grown, continues where it stopped, and never looks at a byte twice, so that a head that comes one byte
// at a time costs what it costs in one piece. How the bytes are split over calls changes nothing.

/// Reads the head of one request.
struct RequestParser: Sendable {
    /// What is known after the bytes that were seen.
    enum Progress: Equatable, Sendable {
        /// The head is not complete.
        case needsMore
        /// The head is complete and ends after `head.byteCount` octets.
        case complete
        /// The request cannot be read, and neither can anything behind it.
        case fault(HTTPFault)
    }

    /// Blank lines that may come before a request line (RFC 9112 §2.2 asks for one).
    private static let maximumBlankLines = 2

    private(set) var head = RequestHead()
    private(set) var fields: [FieldRange] = []
    private var facts = FieldFacts()
    private var hasRequestLine = false
    private var blankLines = 0
    private var lineStart = 0
    private var scanned = 0

    /// Whether any byte of a request has been seen; blank lines before it do not count.
    var hasBegun: Bool { hasRequestLine || scanned > lineStart }

    /// Makes the parser ready for the next request and keeps its memory.
    mutating func reset() {
        head = RequestHead()
        fields.removeAll(keepingCapacity: true)
        facts = FieldFacts()
        hasRequestLine = false
        blankLines = 0
        lineStart = 0
        scanned = 0
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: What there is of the request, from its first byte; begins with what the last call saw.
    ///   - limits: How large the head may be; the same in every call.
    /// - Returns: Whether the head is complete, broken, or needs more bytes.
    mutating func advance(_ bytes: Span<UInt8>, limits: HTTPLimits) -> Progress {
        do throws(HTTPFault) {
            while let end = bytes.firstIndex(of: ASCII.lineFeed, from: scanned) {
                let hasReturn = end > lineStart && bytes[end - 1] == ASCII.carriageReturn
                let line = lineStart..<(hasReturn ? end - 1 : end)
                try checkSize(line.count, limits)
                guard hasReturn else {
                    throw hasRequestLine ? .malformedField : .malformedRequestLine
                }
                lineStart = end + 1
                scanned = end + 1
                if try takeLine(bytes, line, limits) { return .complete }
            }
            scanned = bytes.count
            // The last byte may be the CR of the line's end.
            try checkSize(bytes.count - lineStart - 1, limits)
            return .needsMore
        } catch {
            return .fault(error)
        }
    }

    private func checkSize(_ lineBytes: Int, _ limits: HTTPLimits) throws(HTTPFault) {
        guard hasRequestLine else {
            if lineBytes > limits.requestLineBytes { throw .requestLineTooLong }
            return
        }
        guard lineBytes > 0 else { return }
        if lineBytes > limits.fieldBytes || head.fieldBytes + lineBytes > limits.fieldBlockBytes {
            throw .fieldsTooLarge
        }
    }

    /// Takes a line without its CRLF; says whether it was the head's last.
    private mutating func takeLine(
        _ bytes: Span<UInt8>, _ line: Range<Int>, _ limits: HTTPLimits
    ) throws(HTTPFault) -> Bool {
        guard hasRequestLine else {
            if line.isEmpty {
                blankLines += 1
                guard blankLines <= Self.maximumBlankLines else { throw .malformedRequestLine }
            } else {
                try RequestLine.read(bytes, line, into: &head)
                hasRequestLine = true
            }
            return false
        }
        guard !line.isEmpty else {
            try facts.conclude(&head)
            head.byteCount = lineStart
            return true
        }
        head.fieldBytes += line.count + 2
        head.fieldCount += 1
        guard head.fieldCount <= limits.fieldCount else { throw .fieldsTooLarge }
        let field = try FieldLine.read(bytes, line)
        fields.append(field)
        try facts.take(bytes, field)
        return false
    }
}
