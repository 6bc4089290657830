// SPDX-License-Identifier: Apache-2.0
// The content of a request that did not lie complete and plain in the receive buffer: unframed, decoded, bounded, and
// collected or handed on. Made for the one request and thrown away with it.

/// Reads the content of one request.
final class BodyReader {
    /// What came of some bytes.
    enum Step {
        /// All bytes are used up, and the content is not complete.
        case needsMore
        /// The content is complete.
        case complete
        /// The sink wants a pause; not all bytes may be used up.
        case paused
        /// The sink wants no more.
        case refused(HTTPResponse)
        /// The content is broken or too large.
        case fault(HTTPFault)
    }

    private enum Framing {
        case length(remaining: Int)
        case chunked(ChunkedBody)
    }

    private var framing: Framing
    private let inflater: GzipInflater?
    /// What was collected; with a sink, what was unpacked of the current piece.
    private(set) var content: [UInt8] = []
    /// Where the content goes instead of into memory.
    let sink: (any HTTPBodySink)?

    /// A reader for the content that a head announces.
    ///
    /// - Parameters:
    ///   - head: The head; its content is framed and its coding supported.
    ///   - limit: How many octets the content may have, decoded; coded it may not have more either.
    ///   - sink: Where the content goes; nil to collect it.
    ///   - limits: For the ratio of inflation.
    init(_ head: RequestHead, limit: Int, sink: (any HTTPBodySink)?, limits: HTTPLimits) {
        self.sink = sink
        framing =
            head.framing == .chunked
            ? .chunked(ChunkedBody(after: head, limit: limit))
            : .length(remaining: head.framing.declaredLength ?? 0)
        inflater =
            head.contentCoding == .gzip
            ? GzipInflater(limit: limit, ratio: limits.inflationRatio) : nil
    }

    /// Takes bytes.
    ///
    /// - Parameters:
    ///   - bytes: What was received.
    ///   - used: How many of them were used before; moved on.
    ///   - limits: The limits of chunk lines and trailers.
    /// - Returns: What came of it; after anything but `needsMore` and `paused` the reader is done with.
    func take(
        _ bytes: UnsafeBufferPointer<UInt8>, _ used: inout Int, limits: HTTPLimits
    ) -> Step {
        do throws(HTTPFault) {
            while true {
                switch nextPiece(bytes.span, &used, limits) {
                case .needsMore: return .needsMore
                case .fault(let fault): throw fault
                case .end:
                    try inflater?.finish()
                    return .complete
                case .data(let range):
                    let stop = try deliver(UnsafeBufferPointer(rebasing: bytes[range]))
                    if let stop { return stop }
                }
            }
        } catch {
            return .fault(error)
        }
    }

    private func nextPiece(
        _ bytes: Span<UInt8>, _ used: inout Int, _ limits: HTTPLimits
    ) -> ChunkedBody.Event {
        switch framing {
        case .chunked(var decoder):
            let event = decoder.next(bytes, &used, limits: limits)
            framing = .chunked(decoder)
            return event
        case .length(let remaining):
            if remaining == 0 { return .end }
            let end = used + min(remaining, bytes.count - used)
            guard end > used else { return .needsMore }
            defer { used = end }
            framing = .length(remaining: remaining - (end - used))
            return .data(used..<end)
        }
    }

    /// Decodes a piece and collects it or hands it on.
    private func deliver(_ piece: UnsafeBufferPointer<UInt8>) throws(HTTPFault) -> Step? {
        guard let sink else {
            if let inflater {
                try inflater.inflate(piece.span, into: &content)
            } else {
                content.append(contentsOf: piece)
            }
            return nil
        }
        guard let inflater else { return Self.step(after: sink.receive(piece)) }
        content.removeAll(keepingCapacity: true)
        try inflater.inflate(piece.span, into: &content)
        guard !content.isEmpty else { return nil }
        return Self.step(after: content.withUnsafeBufferPointer { sink.receive($0) })
    }

    private static func step(after progress: HTTPSinkProgress) -> Step? {
        switch progress {
        case .more: nil
        case .pause: .paused
        case .refuse(let response): .refused(response)
        }
    }
}
