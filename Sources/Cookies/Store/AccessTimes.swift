// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// When each cookie of a group was last used: the one thing about a group that changes.
///
/// It lies outside the cookies, so that a read notes it where it is and is no write: no copy is
/// made, nobody waits, and no revision is raised. Only eviction looks at it (section 5.7).
///
/// `@unchecked Sendable`, because the compiler cannot see that the memory holds `count` atomics from
/// `init` to `deinit`. Each is read and written by itself; which of two reads is noted last does not
/// matter.
final class AccessTimes: @unchecked Sendable {
    /// A time that is later by less than this is not noted, in milliseconds.
    private static let step: Int64 = 60_000

    private let times: UnsafeMutablePointer<Atomic<Int64>>
    private let count: Int

    /// The times that the cookies bring with them.
    init(of entries: [CookieGroup.Entry]) {
        count = entries.count
        times = .allocate(capacity: count)
        for (index, entry) in entries.enumerated() {
            (times + index).initialize(to: Atomic(entry.lastAccess.milliseconds))
        }
    }

    deinit {
        times.deinitialize(count: count)
        times.deallocate()
    }

    /// The last access to a cookie.
    subscript(index: Int) -> Timestamp {
        precondition(index < count, "no such cookie")
        return Timestamp(milliseconds: times[index].load(ordering: .relaxed))
    }

    /// Notes that a cookie is used now.
    ///
    /// - Returns: from when on another use would be noted.
    @discardableResult
    func note(_ index: Int, at now: Timestamp) -> Timestamp {
        precondition(index < count, "no such cookie")
        let last = times[index].load(ordering: .relaxed)
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(last)
        guard overflow ? now.milliseconds > last : age >= Self.step else {
            return Self.due(after: last)
        }
        times[index].store(now.milliseconds, ordering: .relaxed)
        return Self.due(after: now.milliseconds)
    }

    private static func due(after last: Int64) -> Timestamp {
        let (due, overflow) = last.addingReportingOverflow(step)
        return Timestamp(milliseconds: overflow ? .max : due)
    }
}
