// SPDX-License-Identifier: Apache-2.0

/// A keyed hash of octets for tables in memory, whose octets come from the network.
///
/// Multiplies and folds, sixteen octets at a time, as wyhash and the maps of Go do: a name costs a tenth of what the standard
/// library's hash takes for it. The key is drawn anew in each process and no hash ever leaves it, so nobody who chooses the
/// octets can choose collisions. For nothing but tables: a hash that is shown would tell of the key.
public struct TableHash: Sendable {
    private let seed = UInt64.random(in: .min ... .max)
    private let first = UInt64.random(in: .min ... .max)
    private let second = UInt64.random(in: .min ... .max)
    private let third = UInt64.random(in: .min ... .max)

    /// The hash of this process.
    public static let shared = TableHash()

    private init() {}

    /// The hash of some octets, behind others that came to `start`.
    ///
    /// - Complexity: O(n), without a heap allocation.
    public func callAsFunction(
        _ octets: UnsafeBufferPointer<UInt8>, after start: UInt64 = 0
    ) -> UInt64 {
        let raw = UnsafeRawBufferPointer(octets)
        var state = seed ^ start
        var index = 0
        while raw.count - index > 16 {
            state = Self.mix(
                Self.word(raw, index, UInt64.self) ^ first,
                Self.word(raw, index &+ 8, UInt64.self) ^ state)
            index &+= 16
        }
        let (low, high) = Self.ends(raw)
        state = Self.mix(low ^ first, high ^ state)
        return Self.mix(state ^ second, UInt64(truncatingIfNeeded: raw.count) ^ third)
    }

    /// The last sixteen octets, or all where there are fewer, in two words that may overlap.
    private static func ends(_ raw: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        let count = raw.count
        if count >= 16 {
            return (word(raw, count - 16, UInt64.self), word(raw, count - 8, UInt64.self))
        }
        if count >= 8 { return (word(raw, 0, UInt64.self), word(raw, count - 8, UInt64.self)) }
        if count >= 4 { return (word(raw, 0, UInt32.self), word(raw, count - 4, UInt32.self)) }
        guard count > 0 else { return (0, 0) }
        return (UInt64(raw[0]) << 8 | UInt64(raw[count / 2]), UInt64(raw[count - 1]))
    }

    private static func word<Word: FixedWidthInteger & BitwiseCopyable>(
        _ raw: UnsafeRawBufferPointer, _ offset: Int, _: Word.Type
    ) -> UInt64 {
        UInt64(truncatingIfNeeded: raw.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }

    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
