// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The two clocks of a loop.
///
/// The coarse ones cost a few nanoseconds and are exact enough for time-outs and dates.
enum Clock {
    /// Milliseconds since some moment; never moves backward.
    static func monotonic() -> Int64 {
        let time = read(CLOCK_MONOTONIC_COARSE)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since the same moment, exact: for durations.
    static func nanoseconds() -> Int {
        let time = read(CLOCK_MONOTONIC)
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    static func date() -> Int64 {
        Int64(read(CLOCK_REALTIME_COARSE).tv_sec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
