// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// When each cookie of a group was last used: the one thing about a group that changes.
///
/// It lies outside the cookies, so that a read notes it where it is and is no write: no copy is
/// made, nobody waits, and no revision is raised. Only eviction looks at it (section 5.7).
///
/// The times lie behind the head of one object, in the same piece of memory: a group is made anew with each write.
///
/// `@unchecked Sendable`, because the compiler cannot see that the memory holds as many atomics as `header` says from
/// `init` to the object's `deinit`. Each is read and written by itself; which of two reads is noted last does not matter.
struct AccessTimes: @unchecked Sendable {
    private final class Times: ManagedBuffer<Int, Atomic<Int64>> {
        deinit {
            _ = withUnsafeMutablePointers { count, times in
                times.deinitialize(count: count.pointee)
            }
        }
    }

    /// A time that is later by less than this is not noted, in milliseconds.
    private static let step: Int64 = 60_000

    private let times: ManagedBuffer<Int, Atomic<Int64>>

    /// The times that the cookies bring with them.
    init(of entries: [CookieGroup.Entry]) {
        times = Times.create(minimumCapacity: entries.count) { _ in entries.count }
        times.withUnsafeMutablePointerToElements { times in
            for (index, entry) in entries.enumerated() {
                (times + index).initialize(to: Atomic(entry.lastAccess.milliseconds))
            }
        }
    }

    /// The last access to a cookie.
    subscript(index: Int) -> Timestamp {
        precondition(index < times.header, "no such cookie")
        return times.withUnsafeMutablePointerToElements {
            Timestamp(milliseconds: $0[index].load(ordering: .relaxed))
        }
    }

    /// Notes that a cookie is used now.
    ///
    /// - Returns: from when on another use would be noted.
    @discardableResult
    func note(_ index: Int, at now: Timestamp) -> Timestamp {
        precondition(index < times.header, "no such cookie")
        return times.withUnsafeMutablePointerToElements { times in
            let last = times[index].load(ordering: .relaxed)
            let (age, overflow) = now.milliseconds.subtractingReportingOverflow(last)
            guard overflow ? now.milliseconds > last : age >= Self.step else {
                return Self.due(after: last)
            }
            times[index].store(now.milliseconds, ordering: .relaxed)
            return Self.due(after: now.milliseconds)
        }
    }

    private static func due(after last: Int64) -> Timestamp {
        let (due, overflow) = last.addingReportingOverflow(step)
        return Timestamp(milliseconds: overflow ? .max : due)
    }
}
