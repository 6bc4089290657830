// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// Decides which answers of 500 and above are logged: of each type one in ten seconds, so that an outage is a line and not
/// a flood.
final class TroubleLog: Sendable {
    private struct Kind {
        var lastSaid = Int.min
        var unsaid = 0
    }

    private static let seconds = 10
    private let kinds = Locked<[ProblemKind: Kind]>([:])
    private let clock: @Sendable () -> Int

    init(clock: @escaping @Sendable () -> Int = TroubleLog.monotonicSeconds) { self.clock = clock }

    /// Whether to log an answer of that type.
    ///
    /// - Returns: How many were not logged since the last one that was; nil when this is not to be logged either.
    func admit(_ kind: ProblemKind) -> Int? {
        let now = clock()
        return kinds.withLock { kinds in
            var entry = kinds[kind] ?? Kind()
            defer { kinds[kind] = entry }
            guard entry.lastSaid == Int.min || now - entry.lastSaid >= Self.seconds else {
                entry.unsaid += 1
                return nil
            }
            defer { entry.unsaid = 0 }
            entry.lastSaid = now
            return entry.unsaid
        }
    }

    private static let monotonicSeconds: @Sendable () -> Int = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec
    }
}
