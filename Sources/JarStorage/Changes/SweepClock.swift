// SPDX-License-Identifier: Apache-2.0

public import Cookies
import Glibc

/// Whether the wall clock is to be believed: a sweep deletes what it says has expired, so a clock that jumped by more
/// than a day is not followed at once.
///
/// The monotonic clock, which nobody sets, shows a jump. The new time is believed once it has stood for a day, or
/// when the process is started anew.
public struct SweepClock: Sendable {
    private static let day: Int64 = 86_400_000

    private var trusted: Int64?
    private var jump: (offset: Int64, since: Int64)?

    /// A clock that has not been read yet.
    public init() {}

    /// Whether to sweep at this time; both in milliseconds.
    public mutating func believes(wall: Int64, monotonic: Int64) -> Bool {
        let offset = wall - monotonic
        guard let trusted else {
            self.trusted = offset
            return true
        }
        guard abs(offset - trusted) > Self.day else {
            self.trusted = offset
            jump = nil
            return true
        }
        guard let jump, abs(offset - jump.offset) <= Self.day else {
            jump = (offset, monotonic)
            return false
        }
        guard monotonic - jump.since >= Self.day else { return false }
        self.trusted = offset
        self.jump = nil
        return true
    }
}

extension Timestamp {
    /// The time by the wall clock.
    public static var wallClock: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
