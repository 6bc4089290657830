// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A reading of the monotonic clock, which nobody sets.
public struct MonotonicTime: Comparable, Sendable {
    private let nanoseconds: Int64

    /// The time now.
    public static var now: MonotonicTime {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// In milliseconds since some time.
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// How long ago it was, in nanoseconds.
    public var nanosecondsToNow: Int { Int(Self.now.nanoseconds - nanoseconds) }

    /// A later time.
    public func adding(milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds + Int64(milliseconds) * 1_000_000)
    }

    var timespec: Glibc.timespec {
        Glibc.timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// Orders by time.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
