// SPDX-License-Identifier: Apache-2.0

/// SipHash-1-3 with a secret random key, fed with raw bytes: names come from the network, so nobody may be able to
/// choose ones that collide. (Aumasson and Bernstein, "SipHash: a fast short-input PRF".)
struct ByteHash: Sendable {
    private let key0: UInt64
    private let key1: UInt64

    /// A hash with a key that nobody knows.
    init() {
        var generator = SystemRandomNumberGenerator()
        key0 = generator.next()
        key1 = generator.next()
    }

    /// The hash of two byte strings; where one ends and the other begins counts.
    func hash(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var state = SipState(key0, key1)
        state.absorb(first)
        state.absorb(second)
        return state.finish()
    }
}

private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    /// Takes in the bytes as words, lowest octet first; the last word carries their count.
    mutating func absorb(_ bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            absorb(
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var word = UInt64(truncatingIfNeeded: raw.count) << 56
        var shift: UInt64 = 0
        while offset < raw.count {
            word |= UInt64(raw[offset]) << shift
            shift += 8
            offset += 1
        }
        absorb(word)
    }

    mutating func finish() -> UInt64 {
        v2 ^= 0xff
        round()
        round()
        round()
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 = v0 &+ v1
        v1 = rotate(v1, 13) ^ v0
        v0 = rotate(v0, 32)
        v2 = v2 &+ v3
        v3 = rotate(v3, 16) ^ v2
        v0 = v0 &+ v3
        v3 = rotate(v3, 21) ^ v0
        v2 = v2 &+ v1
        v1 = rotate(v1, 17) ^ v2
        v2 = rotate(v2, 32)
    }

    private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
