// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Unpacks one gzip member (RFC 1952) piece by piece, and refuses what is no single complete member, or a bomb.
final class GzipInflater {
    private static let gzipWindowBits: Int32 = 15 + 16
    /// The ratio does not count before so many octets were unpacked: small texts may well be that regular.
    private static let ratioGrace = 64 << 10
    private static let pieceBytes = 16 << 10

    /// Allocated because zlib keeps the address of the stream that it was initialised with.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool
    private let limit: Int
    private let ratio: Int
    private var piece = [UInt8](repeating: 0, count: pieceBytes)
    private var received = 0
    private var produced = 0
    private var hasEnded = false

    /// An inflater for one content.
    ///
    /// - Parameters:
    ///   - limit: How many octets may come out.
    ///   - ratio: How many times more than what went in may come out.
    init(limit: Int, ratio: Int) {
        self.limit = limit
        self.ratio = ratio
        stream.initialize(to: z_stream())
        isReady =
            inflateInit2_(
                stream, Self.gzipWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Unpacks a piece and appends what comes out.
    ///
    /// - Throws: `malformedContent` or `bodyTooLarge`; `overloaded` if there is no memory.
    func inflate(_ bytes: Span<UInt8>, into output: inout [UInt8]) throws(HTTPFault) {
        guard isReady else { throw .overloaded }
        var used = 0
        var mayHoldMore = true
        while used < bytes.count || mayHoldMore {
            guard !hasEnded else { throw .malformedContent }
            let made: Int
            (used, made) = try step(bytes, from: used, into: &output)
            mayHoldMore = made == Self.pieceBytes && !hasEnded
        }
    }

    /// Says that there are no more bytes.
    ///
    /// - Throws: `malformedContent`, if the member is not complete.
    func finish() throws(HTTPFault) {
        guard hasEnded else { throw .malformedContent }
    }

    /// Lets zlib take some of the input and fill one piece at most.
    private func step(
        _ bytes: Span<UInt8>, from start: Int, into output: inout [UInt8]
    ) throws(HTTPFault) -> (used: Int, made: Int) {
        let offered = min(bytes.count - start, Int(Int32.max))
        let status = bytes.withUnsafeBufferPointer { input in
            piece.withUnsafeMutableBufferPointer { piece in
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress.map { $0 + start })
                stream.pointee.avail_in = UInt32(offered)
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(piece.count)
                return CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        // Z_BUF_ERROR says that nothing was left to do, which is no error when there was no input.
        guard status == Z_OK || status == Z_STREAM_END || (status == Z_BUF_ERROR && offered == 0)
        else { throw status == Z_MEM_ERROR ? .overloaded : .malformedContent }
        hasEnded = status == Z_STREAM_END
        let made = piece.count - Int(stream.pointee.avail_out)
        let used = start + offered - Int(stream.pointee.avail_in)
        try account(received: used - start, produced: made)
        output.append(contentsOf: piece[..<made])
        return (used, made)
    }

    private func account(received new: Int, produced made: Int) throws(HTTPFault) {
        received += new
        produced += made
        guard produced <= limit, produced <= Self.ratioGrace || produced / ratio <= received else {
            throw .bodyTooLarge
        }
    }
}
