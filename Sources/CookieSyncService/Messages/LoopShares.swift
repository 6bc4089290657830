// SPDX-License-Identifier: Apache-2.0

import Locks

/// What each event loop remembers for itself, so that loops do not wait for each other.
struct LoopShares<Value: Sendable>: Sendable {
    /// How many loops have a share of their own; more share with each other.
    private static var count: Int { 16 }
    private let shares: [Locked<Value>]

    /// Shares that are all alike.
    init(_ value: Value) { shares = (0..<Self.count).map { _ in Locked(value) } }

    /// A loop's share.
    subscript(_ loop: Int) -> Locked<Value> { shares[loop % Self.count] }

    /// A sum over all shares.
    func sum(_ figure: (Value) -> Int) -> Int {
        shares.reduce(0) { sum, share in sum &+ share.withLock { figure($0) } }
    }
}
