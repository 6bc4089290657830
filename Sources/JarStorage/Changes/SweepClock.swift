// SPDX-License-Identifier: Apache-2.0

public import Cookies
import Glibc
import Locks

/// Whether the wall clock is to be believed: a sweep deletes what it says has expired, so a clock that jumped by more
/// than a day is not followed at once.
///
/// The monotonic clock, which nobody sets, shows a jump. The new time is believed once it has stood for a day, or
/// when the process is started anew.
public struct SweepClock: Sendable {
    private static let day: Int64 = 86_400_000

    private var trusted: Int64?
    private var jump: (offset: Int64, since: Int64)?
    private var wasBelieved = true

    /// What both clocks said at one time.
    public struct Reading: Sendable {
        /// The time by the wall clock.
        public let now: Timestamp
        /// Whether to sweep at this time.
        public let isBelieved: Bool
        /// What is worth a line in the log: that the answer is another than the one before.
        public let news: String?
    }

    /// A clock that has not been read yet.
    public init() {}

    /// Reads both clocks.
    public mutating func read() -> Reading {
        let now = Timestamp.wallClock
        let isBelieved = believes(
            wall: now.milliseconds, monotonic: MonotonicTime.now.milliseconds)
        defer { wasBelieved = isBelieved }
        let isNew = isBelieved != wasBelieved
        return Reading(
            now: now, isBelieved: isBelieved,
            news: isNew ? (isBelieved ? "sweep again" : "the clock jumped; sweep later") : nil)
    }

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
