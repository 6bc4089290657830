// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How much content of requests is in memory, over all loops.
final class BodyBudget: Sendable {
    private let limit: Int
    private let reserved = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    var reservedBytes: Int { reserved.load(ordering: .relaxed) }

    /// Changes a reservation.
    ///
    /// - Returns: Whether there was room; what becomes smaller always has.
    func change(by bytes: Int) -> Bool {
        let (_, total) = reserved.add(bytes, ordering: .relaxed)
        guard bytes > 0, total > limit else { return true }
        reserved.subtract(bytes, ordering: .relaxed)
        return false
    }
}
