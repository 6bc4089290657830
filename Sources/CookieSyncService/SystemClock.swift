// SPDX-License-Identifier: Apache-2.0

public import Cookies
import Glibc
import JarStorage

/// The system's clock.
public enum SystemClock {
    /// The time now, to the millisecond.
    @Sendable public static func now() -> Timestamp { .wallClock }

    /// Seconds on a clock that nobody sets, since some time.
    @Sendable static func monotonicSeconds() -> Int64 { monotonicMicroseconds() / 1_000_000 }

    /// Microseconds on a clock that nobody sets, since some time.
    @Sendable static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
