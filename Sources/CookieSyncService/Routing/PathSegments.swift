// SPDX-License-Identifier: Apache-2.0

/// The segments of a request's path: split first, then percent-decoded once each, so that an encoded slash is a
/// slash in a name and never a separator.
///
/// A view of the request's bytes while nothing is encoded. Otherwise the decoded bytes are memory of its own, which
/// whoever made it gives back with `deallocate`. Routing and authorisation work on this one reading of the path.
struct PathSegments {
    /// No route has more segments; what comes after the last is counted as one.
    static let maximum = 9

    private let base: UnsafeBufferPointer<UInt8>
    private let owned: UnsafeMutableBufferPointer<UInt8>?
    private var ends = InlineArray<9, Int>(repeating: 0)
    private(set) var count = 0
    /// Whether some `%` was not followed by two hexadecimal digits.
    private(set) var isMalformed = false

    init(_ path: UnsafeBufferPointer<UInt8>) {
        guard path.firstIndex(of: UInt8(ascii: "%"), in: 0..<path.count) != nil else {
            base = path
            owned = nil
            var end = path.first == UInt8(ascii: "/") ? 1 : 0
            while count < Self.maximum, end <= path.count {
                end = path.firstIndex(of: UInt8(ascii: "/"), in: end..<path.count) ?? path.count
                ends[count] = end
                count += 1
                end += 1
            }
            return
        }
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: path.count)
        var length = 0
        var decoded: [UInt8] = []
        var cuts = InlineArray<9, Int>(repeating: 0)
        var segments = 0
        var isMalformed = false
        path.dropFirst(path.first == UInt8(ascii: "/") ? 1 : 0).rebased
            .forEachPiece(separatedBy: UInt8(ascii: "/")) { piece in
                guard segments < Self.maximum else { return }
                decoded.removeAll(keepingCapacity: true)
                if !PercentEncoding.decode(piece, into: &decoded) { isMalformed = true }
                // Each segment is kept behind one byte, as it stands behind its slash in a path.
                buffer.initializeElement(at: length, to: UInt8(ascii: "/"))
                length += 1
                for byte in decoded {
                    buffer.initializeElement(at: length, to: byte)
                    length += 1
                }
                cuts[segments] = length
                segments += 1
            }
        base = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<length])
        owned = buffer
        ends = cuts
        count = segments
        self.isMalformed = isMalformed
    }

    /// A segment's bytes.
    subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = index == 0 ? (base.first == UInt8(ascii: "/") ? 1 : 0) : ends[index - 1] + 1
        return base.slice(start..<ends[index])
    }

    /// Gives the memory of decoded segments back; no segment may be used any more.
    func deallocate() {
        owned?.deallocate()
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate var rebased: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: self) }
}
