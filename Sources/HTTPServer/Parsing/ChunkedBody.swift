// SPDX-License-Identifier: Apache-2.0
// The chunked transfer coding (RFC 9112 §7.1), decoded one byte at a time for everything but the data, so that no split
// can make a difference. Extensions are checked against their grammar and ignored; trailers are checked like fields,
// count against the same limits, and are thrown away: nothing that comes after the content may change what the
// request means. Lines that are large for what they carry are refused, or a client could make us read without end.

/// Decodes one chunked content.
struct ChunkedBody: Sendable {
    /// What the decoder found.
    enum Event: Equatable, Sendable {
        /// A piece of the content: this range of the bytes.
        case data(Range<Int>)
        /// All bytes are used up, and the content is not complete.
        case needsMore
        /// The content is complete; what follows belongs to the next request.
        case end
        /// The content is broken.
        case fault(HTTPFault)
    }

    private enum State {
        case size, extensions, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case done
    }

    /// How many octets of extensions all chunks may have together.
    private static let maximumExtensionBytes = 16 << 10
    private static let maximumSizeDigits = 16

    private let limit: Int
    private var state = State.size
    private var extensions = ChunkExtension()
    private var size: UInt64 = 0
    private var digits = 0
    private var lineBytes = 0
    private var extensionBytes = 0
    private var remaining = 0
    private var total = 0
    private var fieldBytes: Int
    private var fieldCount: Int
    private var trailerBytes = 0

    /// A decoder for the content of a request.
    ///
    /// - Parameters:
    ///   - head: The request's head, whose fields have used up part of the limits.
    ///   - limit: How many octets the content may have, without the coding.
    init(after head: RequestHead, limit: Int) {
        self.limit = limit
        fieldBytes = head.fieldBytes
        fieldCount = head.fieldCount
    }

    /// Looks for the next event.
    ///
    /// - Parameters:
    ///   - bytes: What was received.
    ///   - offset: Where to go on; moved past what was used.
    ///   - limits: The limits of lines and trailers.
    /// - Returns: The event; after `end` and `fault` there is no further one.
    mutating func next(
        _ bytes: Span<UInt8>, _ offset: inout Int, limits: HTTPLimits
    ) -> Event {
        do throws(HTTPFault) {
            while offset < bytes.count, state != .done {
                if state == .data {
                    let end = offset + min(remaining, bytes.count - offset)
                    defer { offset = end }
                    remaining -= end - offset
                    if remaining == 0 { state = .dataReturn }
                    return .data(offset..<end)
                }
                try take(bytes[offset], limits)
                offset += 1
            }
            return state == .done ? .end : .needsMore
        } catch {
            return .fault(error)
        }
    }

    private mutating func take(_ byte: UInt8, _ limits: HTTPLimits) throws(HTTPFault) {
        switch state {
        case .size:
            try countLine(limits)
            try takeSize(byte)
        case .extensions:
            try countLine(limits)
            try takeExtension(byte)
        case .sizeLineFeed:
            try expect(byte, ASCII.lineFeed)
            try beginChunk()
        case .dataReturn:
            try expect(byte, ASCII.carriageReturn)
            state = .dataLineFeed
        case .dataLineFeed:
            try expect(byte, ASCII.lineFeed)
            state = .size
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed:
            try takeTrailer(byte, limits)
        case .data, .done: break
        }
    }

    private func expect(_ byte: UInt8, _ expected: UInt8) throws(HTTPFault) {
        guard byte == expected else { throw .malformedChunk }
    }

    private mutating func countLine(_ limits: HTTPLimits) throws(HTTPFault) {
        lineBytes += 1
        // One more for the CR, which is counted as well.
        guard lineBytes <= limits.chunkLineBytes + 1 else { throw .malformedChunk }
    }

    private mutating func takeSize(_ byte: UInt8) throws(HTTPFault) {
        if let digit = byte.hexValue {
            guard digits < Self.maximumSizeDigits else { throw .malformedChunk }
            size = size << 4 | UInt64(digit)
            digits += 1
            return
        }
        guard digits > 0 else { throw .malformedChunk }
        if byte == ASCII.carriageReturn {
            state = .sizeLineFeed
        } else {
            state = .extensions
            try takeExtension(byte)
        }
    }

    private mutating func takeExtension(_ byte: UInt8) throws(HTTPFault) {
        extensionBytes += 1
        guard extensionBytes <= Self.maximumExtensionBytes else { throw .malformedChunk }
        switch extensions.take(byte) {
        case .more: break
        case .endOfLine: state = .sizeLineFeed
        case .malformed: throw .malformedChunk
        }
    }

    private mutating func beginChunk() throws(HTTPFault) {
        defer {
            size = 0
            digits = 0
            lineBytes = 0
            extensions = ChunkExtension()
        }
        guard size > 0 else {
            state = .trailerStart
            return
        }
        guard size <= UInt64(max(0, limit - total)) else { throw .bodyTooLarge }
        remaining = Int(size)
        total += remaining
        state = .data
    }

    private mutating func takeTrailer(_ byte: UInt8, _ limits: HTTPLimits) throws(HTTPFault) {
        fieldBytes += 1
        trailerBytes += 1
        guard trailerBytes <= limits.fieldBytes + 2, fieldBytes <= limits.fieldBlockBytes + 2 else {
            throw .fieldsTooLarge
        }
        switch state {
        case .trailerStart where byte == ASCII.carriageReturn:
            state = .lastLineFeed
        case .trailerStart:
            fieldCount += 1
            guard fieldCount <= limits.fieldCount else { throw .fieldsTooLarge }
            guard ByteSet.token.contains(byte) else { throw .malformedField }
            state = .trailerName
        case .trailerName where byte == ASCII.colon:
            state = .trailerValue
        case .trailerName:
            guard ByteSet.token.contains(byte) else { throw .malformedField }
        case .trailerValue where byte == ASCII.carriageReturn:
            state = .trailerLineFeed
        case .trailerValue:
            guard ChunkExtension.isQuotable(byte) else { throw .malformedField }
        default:
            guard byte == ASCII.lineFeed else { throw .malformedField }
            state = state == .lastLineFeed ? .done : .trailerStart
            trailerBytes = 0
        }
    }
}
