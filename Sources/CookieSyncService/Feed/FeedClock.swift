// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The clock of waits: milliseconds that no change of the time of day moves.
enum FeedClock {
    /// The time.
    static var now: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
