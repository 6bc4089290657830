// SPDX-License-Identifier: Apache-2.0

import Locks

/// Counts the tokens that were not valid, per address and minute.
///
/// An IPv6 address counts with the /64 it lies in. The memory is bounded: each address has its place in one of some sets,
/// and a full set forgets the address whose minute began first. Valid tokens are never refused, however many others
/// behind the same address fail.
final class FailedLogins: Sendable {
    private struct Slot {
        var network: UInt64 = 0
        var start: Int64 = .min
        var count = 0
    }

    private static let setCount = 1024
    private static let slotsPerSet = 4
    /// How long failures count, in seconds.
    static let windowSeconds = 60
    private let limit: Int
    private let key = SipHash.Key.random()
    private let seconds: @Sendable () -> Int64
    private let slots = Locked(
        [Slot](repeating: Slot(), count: setCount * slotsPerSet))

    /// - Parameters:
    ///   - limit: How many may fail in a minute.
    ///   - seconds: A clock that nobody sets.
    init(limit: Int, seconds: @escaping @Sendable () -> Int64 = SystemClock.monotonicSeconds) {
        self.limit = limit
        self.seconds = seconds
    }

    /// Counts a failure; false from the limit on.
    func note(_ address: (UInt64, UInt64)) -> Bool {
        let network = hash(address)
        let now = seconds()
        let first = Int(network % UInt64(Self.setCount)) * Self.slotsPerSet
        return slots.withLock { slots in
            var index = first
            for candidate in first..<first + Self.slotsPerSet {
                if slots[candidate].network == network {
                    index = candidate
                    break
                }
                if slots[candidate].start < slots[index].start { index = candidate }
            }
            if slots[index].network != network
                || now - slots[index].start >= Int64(Self.windowSeconds)
            {
                slots[index] = Slot(network: network, start: now, count: 0)
            }
            slots[index].count = min(slots[index].count + 1, limit + 1)
            return slots[index].count <= limit
        }
    }

    private func hash(_ address: (UInt64, UInt64)) -> UInt64 {
        var hash = SipHash(key)
        hash.combine(address.0)
        hash.combine(address.1)
        return hash.finish()
    }
}
