// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Makes gzip members (RFC 1952), one after the other with the same memory.
final class GzipDeflater {
    private static let gzipWindowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// Allocated because zlib keeps the address of the stream that it was initialised with.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool

    init(level: Int32) {
        stream.initialize(to: z_stream())
        isReady =
            deflateInit2_(
                stream, level, Z_DEFLATED, Self.gzipWindowBits, Self.memoryLevel,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deallocate()
    }

    /// Compresses content in one go.
    ///
    /// - Returns: Whether that worked; if not, there is no memory for it or the content is 4 GiB long.
    func compress(_ body: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        output.removeAll(keepingCapacity: true)
        guard isReady, deflateReset(stream) == Z_OK, let length = UInt32(exactly: body.count) else {
            return false
        }
        let bound = Int(deflateBound(stream, UInt(length)))
        guard let room = UInt32(exactly: bound) else { return false }
        output.append(contentsOf: repeatElement(0, count: bound))
        let result = body.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = length
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = room
                return deflate(stream, Z_FINISH)
            }
        }
        output.removeLast(Int(stream.pointee.avail_out))
        return result == Z_STREAM_END
    }
}
