// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets so many requests a second through on average, and as many more at once after a pause.
///
/// The state is one number: the time at which the requests so far would be paid for (the generic cell rate algorithm).
/// Without a lock, and without memory of its own.
enum RateLimit {
    /// Whether a request may pass; one that may not costs nothing.
    ///
    /// The rate is in requests a second, at least 1; the state is 0 at first; the time is in microseconds of a clock that
    /// nobody sets.
    static func admits(rate: Int, _ state: borrowing Atomic<Int64>, now: Int64) -> Bool {
        let cost = 1_000_000 / Int64(max(1, rate))
        let burst: Int64 = 1_000_000
        var known = state.load(ordering: .relaxed)
        while true {
            let start = max(known, now)
            guard start - now <= burst - cost else { return false }
            let (done, seen) = state.compareExchange(
                expected: known, desired: start + max(1, cost), ordering: .relaxed)
            if done { return true }
            known = seen
        }
    }
}
