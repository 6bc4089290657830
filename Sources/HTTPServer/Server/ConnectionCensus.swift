// SPDX-License-Identifier: Apache-2.0

internal import Locks
internal import Synchronization

/// Counts the connections of all loops, in total and per address.
final class ConnectionCensus: Sendable {
    private let limit: Int
    private let limitPerAddress: Int
    private let perAddress = Locked<[PeerAddress: Int]>([:])
    private let open = Atomic(0)
    private let accepted = Atomic(0)
    private let refused = Atomic(0)
    /// Whether accepting has paused until there is room.
    private let isAwaited = Atomic(false)

    init(limit: Int, perAddress: Int) {
        self.limit = limit
        limitPerAddress = perAddress
    }

    var openCount: Int { open.load(ordering: .relaxed) }
    var acceptedCount: Int { accepted.load(ordering: .relaxed) }
    var refusedCount: Int { refused.load(ordering: .relaxed) }

    /// Whether one more connection may be accepted.
    ///
    /// If not, the next `leave` says so.
    func hasRoom() -> Bool {
        if openCount < limit { return true }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        guard open.load(ordering: .sequentiallyConsistent) < limit else { return false }
        isAwaited.store(false, ordering: .sequentiallyConsistent)
        return true
    }

    /// Counts a connection, if its address has not too many.
    func enter(_ peer: PeerAddress) -> Bool {
        let isAdmitted = perAddress.withLock { counts in
            let count = counts[peer, default: 0]
            guard count < limitPerAddress else { return false }
            counts[peer] = count + 1
            return true
        }
        guard isAdmitted else {
            noteRefusal()
            return false
        }
        open.add(1, ordering: .sequentiallyConsistent)
        accepted.add(1, ordering: .relaxed)
        return true
    }

    /// Counts a connection that was turned away.
    func noteRefusal() {
        refused.add(1, ordering: .relaxed)
    }

    /// Counts a connection no more.
    ///
    /// - Returns: Whether accepting has waited for this.
    func leave(_ peer: PeerAddress) -> Bool {
        perAddress.withLock { counts in
            let count = counts[peer, default: 0] - 1
            counts[peer] = count > 0 ? count : nil
        }
        open.subtract(1, ordering: .sequentiallyConsistent)
        return isAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }
}
