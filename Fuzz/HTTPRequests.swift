// SPDX-License-Identifier: Apache-2.0
// fuzz: HTTPServer Telemetry Locks
// battery: 00 07 2a

/// A request's head and, where it has one, its chunked content, in one piece and in two.
///
/// Nothing may trap, and where the bytes are split must make no difference. The first byte says where that is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let request = Array(input.dropFirst())
    let limits = HTTPLimits()

    var whole = RequestParser()
    let progress = whole.advance(request.span, limits: limits)
    var pieces = RequestParser()
    let piece = Array(request.prefix(Int(first) % (request.count + 1)))
    var early = pieces.advance(piece.span, limits: limits)
    if early == .needsMore { early = pieces.advance(request.span, limits: limits) }
    precondition(early == progress, "the split changes the outcome")
    guard progress == .complete else { return 0 }
    precondition(pieces.head == whole.head && pieces.fields == whole.fields)
    precondition(whole.head.byteCount <= request.count)

    if whole.head.framing == .chunked {
        let content = Array(request.dropFirst(whole.head.byteCount))
        let split = Int(first) % (content.count + 1)
        precondition(
            decode([content], after: whole.head, limits)
                == decode(
                    [Array(content[..<split]), Array(content[split...])], after: whole.head, limits),
            "the split changes the content")
    }
    return 0
}

/// The content, and how it ended.
private struct Decoded: Equatable {
    var content: [UInt8] = []
    var last = ChunkedBody.Event.needsMore
}

private func decode(_ pieces: [[UInt8]], after head: RequestHead, _ limits: HTTPLimits) -> Decoded {
    var body = ChunkedBody(after: head, limit: 1 << 20)
    var decoded = Decoded()
    for piece in pieces {
        var offset = 0
        pieceLoop: while true {
            decoded.last = body.next(piece.span, &offset, limits: limits)
            switch decoded.last {
            case .data(let range): decoded.content += piece[range]
            case .needsMore: break pieceLoop
            case .end, .fault: return decoded
            }
        }
    }
    return decoded
}
