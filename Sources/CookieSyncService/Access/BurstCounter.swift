// SPDX-License-Identifier: Apache-2.0

import Locks

/// Counts what somebody does too often, per minute: the tokens that were not valid by their address, the requests for what
/// is not a token's by the token.
///
/// The memory is bounded: each key has its place in one of some sets, and a full set forgets the key whose minute began
/// first.
final class BurstCounter: Sendable {
    /// What one more came to.
    enum Verdict: Equatable, Sendable {
        /// As many as may be.
        case within
        /// The first above the limit in its minute, which is when a burst is worth a word.
        case begins
        /// One of those after it.
        case goesOn
    }

    private struct Slot {
        var key: UInt64 = 0
        var start: Int64 = .min
        var count = 0
    }

    private static let setCount = 1024
    private static let slotsPerSet = 4
    /// How long something counts, in seconds.
    static let windowSeconds = 60
    private let limit: Int
    private let hashKey = SipHash.Key.random()
    private let seconds: @Sendable () -> Int64
    private let slots = Locked(
        [Slot](repeating: Slot(), count: setCount * slotsPerSet))

    /// - Parameters:
    ///   - limit: How many there may be in a minute.
    ///   - seconds: A clock that nobody sets.
    init(limit: Int, seconds: @escaping @Sendable () -> Int64 = SystemClock.monotonicSeconds) {
        self.limit = limit
        self.seconds = seconds
    }

    /// Counts one more of a key.
    func note(_ key: (UInt64, UInt64)) -> Verdict {
        let key = hash(key)
        let now = seconds()
        let first = Int(key % UInt64(Self.setCount)) * Self.slotsPerSet
        return slots.withLock { slots in
            var index = first
            for candidate in first..<first + Self.slotsPerSet {
                if slots[candidate].key == key {
                    index = candidate
                    break
                }
                if slots[candidate].start < slots[index].start { index = candidate }
            }
            if slots[index].key != key
                || now - slots[index].start >= Int64(Self.windowSeconds)
            {
                slots[index] = Slot(key: key, start: now, count: 0)
            }
            slots[index].count = min(slots[index].count + 1, limit + 2)
            return switch slots[index].count - limit {
            case ...0: .within
            case 1: .begins
            default: .goesOn
            }
        }
    }

    private func hash(_ key: (UInt64, UInt64)) -> UInt64 {
        var hash = SipHash(hashKey)
        hash.combine(key.0)
        hash.combine(key.1)
        return hash.finish()
    }
}
