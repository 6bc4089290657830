// SPDX-License-Identifier: Apache-2.0

/// A range of bytes, relative to the first byte of a request.
struct ByteRange: Equatable, Sendable {
    private let low: UInt32
    private let high: UInt32

    /// A range inside of a head, whose size is bounded far below 4 GiB.
    init(_ start: Int, _ end: Int) {
        low = UInt32(truncatingIfNeeded: start)
        high = UInt32(truncatingIfNeeded: end)
    }

    var start: Int { Int(low) }
    var end: Int { Int(high) }
    var count: Int { end - start }
    var range: Range<Int> { start..<end }
}

/// Where the name and the value of a field lie; the value without surrounding white space.
struct FieldRange: Equatable, Sendable {
    let name: ByteRange
    let value: ByteRange
}

/// What a complete head says, its fields aside.
struct RequestHead: Equatable, Sendable {
    /// How the content is framed.
    enum Framing: Equatable, Sendable {
        case none
        case length(Int)
        case chunked

        var declaredLength: Int? {
            if case .length(let length) = self { length } else { nil }
        }

        var hasContent: Bool {
            switch self {
            case .none, .length(0): false
            case .length, .chunked: true
            }
        }
    }

    /// What the content is coded with.
    enum ContentCoding: Equatable, Sendable {
        case identity
        case gzip
        case unsupported
    }

    var method = HTTPMethod.other
    var methodName = ByteRange(0, 0)
    var path = ByteRange(0, 0)
    var query: ByteRange?
    var authority: ByteRange?
    /// Whether the version is 1.0.
    var isLegacy = false
    var framing = Framing.none
    var contentCoding = ContentCoding.identity
    var acceptsGzip = false
    var expectsContinue = false
    /// Whether the client wants, or its version implies, that the connection stays.
    var keepsAlive = true
    /// How many octets the head takes, its empty line included.
    var byteCount = 0
    /// How much of the limits for fields is used up, which trailers share.
    var fieldBytes = 0
    var fieldCount = 0
}
