// SPDX-License-Identifier: Apache-2.0

// SipHash-1-3 (Aumasson and Bernstein, 2012, with the rounds that hash tables use): a keyed 64-bit hash whose collisions
// nobody without the key can choose. Used for entity tags, where HMAC through libcrypto would cost an allocation and
// twenty times the time per answer.

/// A running SipHash-1-3.
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
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    init(_ key: Key) {
        lanes = Lanes(key)
    }

    /// Takes one byte.
    mutating func combine(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        guard count & 7 == 0 else { return }
        lanes.compress(tail)
        tail = 0
    }

    /// Takes eight bytes, the lowest first.
    mutating func combine(_ word: UInt64) {
        let filled = 8 * (count & 7)
        count &+= 8
        lanes.compress(tail | word << filled)
        tail = filled == 0 ? 0 : word >> (64 - filled)
    }

    /// Takes some bytes.
    mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        if count & 7 == 0 {
            index = bytes.count & ~7
            combineWords(UnsafeRawBufferPointer(bytes), upTo: index)
        }
        while index < bytes.count {
            combine(bytes[index])
            index += 1
        }
    }

    /// Takes whole words where no byte waits for its neighbours.
    private mutating func combineWords(_ bytes: UnsafeRawBufferPointer, upTo end: Int) {
        // A copy that nobody else can see stays in registers.
        var lanes = self.lanes
        var index = 0
        while index < end {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            lanes.compress(UInt64(littleEndian: word))
            index &+= 8
        }
        self.lanes = lanes
        count &+= UInt64(end)
    }

    /// The hash of all that was taken.
    consuming func finish() -> UInt64 {
        lanes.compress(tail | (count & 0xFF) << 56)
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
