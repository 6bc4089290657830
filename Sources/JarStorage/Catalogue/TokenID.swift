// SPDX-License-Identifier: Apache-2.0

/// The public part of a token: twelve characters of `0-9A-Za-z`, by which it is looked up, listed and revoked.
///
/// Kept inline, so that a request's token is looked up without a heap allocation.
public struct TokenID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many octets every id has.
    public static let length = 12

    private let high: UInt64
    private let low: UInt32

    /// The id with these octets, or nil when they are not twelve of `0-9A-Za-z`.
    ///
    /// - Complexity: O(1), without a heap allocation.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == Self.length, bytes.allSatisfy(Self.isOctet) else { return nil }
        var (high, low) = (UInt64(0), UInt32(0))
        for index in 0..<8 { high = high << 8 | UInt64(bytes[index]) }
        for index in 8..<Self.length { low = low << 8 | UInt32(bytes[index]) }
        (self.high, self.low) = (high, low)
    }

    /// The id with these octets, or nil when they are not twelve of `0-9A-Za-z`.
    public init?(_ bytes: [UInt8]) {
        guard let id = bytes.withUnsafeBufferPointer({ TokenID($0) }) else { return nil }
        self = id
    }

    /// The id's octets.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// Calls a closure with the id's octets.
    ///
    /// - Complexity: O(1), without a heap allocation.
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { raw in
            raw.withMemoryRebound(to: UInt8.self) {
                body(UnsafeBufferPointer(rebasing: $0[..<Self.length]))
            }
        }
    }

    /// The id as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Orders by the octets.
    public static func < (left: TokenID, right: TokenID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Whether an octet is one of `0-9A-Za-z`.
    public static func isOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
