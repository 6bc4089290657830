// SPDX-License-Identifier: Apache-2.0

// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit hash that nobody without the key can find collisions
// for. Used for entity tags, where HMAC through libcrypto would cost an allocation and ten times the time per answer.

/// A running SipHash-2-4.
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

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    init(_ key: Key) {
        v0 = key.first ^ 0x736f_6d65_7073_6575
        v1 = key.second ^ 0x646f_7261_6e64_6f6d
        v2 = key.first ^ 0x6c79_6765_6e65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    /// Takes one byte.
    mutating func combine(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        guard count & 7 == 0 else { return }
        compress(tail)
        tail = 0
    }

    /// Takes eight bytes, the lowest first.
    mutating func combine(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            combine(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    /// Takes some bytes.
    mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count, count & 7 != 0 {
            combine(bytes[index])
            index += 1
        }
        let raw = UnsafeRawBufferPointer(bytes)
        while index + 8 <= bytes.count {
            compress(
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            count &+= 8
            index += 8
        }
        while index < bytes.count {
            combine(bytes[index])
            index += 1
        }
    }

    /// The hash of all that was taken.
    consuming func finish() -> UInt64 {
        compress(tail | (count & 0xFF) << 56)
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

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
