// SPDX-License-Identifier: Apache-2.0

// SipHash-1-3 (Aumasson and Bernstein, 2012, with the rounds that hash tables use): a keyed 64-bit hash whose collisions
// nobody without the key can choose. Used for entity tags (see ContentHash), where HMAC through libcrypto would cost an
// allocation and twenty times the time per answer.

/// A running SipHash-1-3 of whole words.
struct SipHash {
    /// The secret that makes hashes unpredictable.
    struct Key: Sendable {
        let first: UInt64
        let second: UInt64

        /// A key that nobody can guess, from the system's generator.
        static func random() -> Key {
            var generator = SystemRandomNumberGenerator()
            return Key(first: generator.next(), second: generator.next())
        }
    }

    private var lanes: Lanes
    private var count: UInt64 = 0

    init(_ key: Key) {
        lanes = Lanes(key)
    }

    /// Takes eight bytes, the lowest first.
    mutating func combine(_ word: UInt64) {
        count &+= 8
        lanes.compress(word)
    }

    /// The hash of all that was taken.
    consuming func finish() -> UInt64 {
        lanes.compress((count & 0xFF) << 56)
        return lanes.finish()
    }
}

/// The state that is mixed.
private struct Lanes {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: SipHash.Key) {
        v0 = key.first ^ 0x736f_6d65_7073_6575
        v1 = key.second ^ 0x646f_7261_6e64_6f6d
        v2 = key.first ^ 0x6c79_6765_6e65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    consuming func finish() -> UInt64 {
        v2 ^= 0xFF
        for _ in 0..<3 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v2 &+= v3
        v1 = v1 << 13 | v1 >> 51
        v3 = v3 << 16 | v3 >> 48
        v1 ^= v0
        v3 ^= v2
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v1
        v0 &+= v3
        v1 = v1 << 17 | v1 >> 47
        v3 = v3 << 21 | v3 >> 43
        v1 ^= v2
        v3 ^= v0
        v2 = v2 << 32 | v2 >> 32
    }
}
