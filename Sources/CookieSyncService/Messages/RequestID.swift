// SPDX-License-Identifier: Apache-2.0

import Telemetry

/// Names one request, in its answer, its problem and the log.
///
/// Costs no heap allocation.
struct RequestID: Sendable {
    private var storage = InlineArray<64, UInt8>(repeating: 0)
    private let count: Int
    /// Whether it was made here, and so is a UUID.
    private let isUUID: Bool

    /// The id that a client sent, or nil when it is not 1 to 64 letters, digits and hyphens.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard 1...64 ~= text.count, text.allSatisfy(Self.isAllowed) else { return nil }
        for index in 0..<text.count { storage[index] = text[index] }
        count = text.count
        isUUID = false
    }

    /// The id with these 128 bits, as a UUID of version 8 (RFC 9562).
    init(high: UInt64, low: UInt64) {
        let bits = (
            high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
        var bytes = storage.mutableSpan
        bytes.withUnsafeMutableBytes {
            Self.store(bits.0 >> 32, 0, 4, in: $0)
            Self.store(bits.0, 9, 14, in: $0)
            Self.store(bits.1 >> 32, 19, 24, in: $0)
            Self.store(bits.1, 28, 32, in: $0)
            // 8-4-4-4-12
            $0[8] = UInt8(ascii: "-")
            $0[13] = UInt8(ascii: "-")
            $0[18] = UInt8(ascii: "-")
            $0[23] = UInt8(ascii: "-")
        }
        count = 36
        isUUID = true
    }

    /// Writes the eight digits of the lower half of some bits, the first four and the last four each at a place.
    private static func store(
        _ bits: UInt64, _ first: Int, _ second: Int, in bytes: UnsafeMutableRawBufferPointer
    ) {
        let digits = Hexadecimal.digits(UInt32(truncatingIfNeeded: bits))
        let (low, high) = (
            UInt32(truncatingIfNeeded: digits), UInt32(truncatingIfNeeded: digits >> 32)
        )
        bytes.storeBytes(of: low.littleEndian, toByteOffset: first, as: UInt32.self)
        bytes.storeBytes(of: high.littleEndian, toByteOffset: second, as: UInt32.self)
    }

    /// Calls a closure with the id's bytes.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.span.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    /// The id as text.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// What a problem document says in `instance`.
    var instance: String { isUUID ? "urn:uuid:\(text)" : text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Makes request ids: unique in this process by counters, and elsewhere by random bits.
///
/// Each event loop has a counter of its own, in cache lines of its own: one for all would go to and fro between the cores
/// with each request. Loops beyond the last share one, which costs time and nothing else.
final class RequestIDSource: Sendable {
    private static let loops = 64
    private static let stride = 16
    private let high = UInt64.random(in: .min ... .max)
    private let start = UInt64.random(in: .min ... .max)
    private let counters = CounterRow(count: loops * stride)

    /// A new id, for a request of that event loop.
    func next(on loop: Int) -> RequestID {
        let place = loop % Self.loops
        let count =
            UInt64(place) << 48 | UInt64(counters.increment(at: place * Self.stride))
        // An odd factor maps counters to numbers one to one, and spreads them.
        return RequestID(high: high, low: (start &+ count) &* 0x9E37_79B9_7F4A_7C15)
    }
}
