// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A mutex with a condition that threads can wait for, on the monotonic clock.
///
/// `@unchecked Sendable`: both pointers are set once and point to objects that POSIX makes for threads to share.
final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while no other thread is in here.
    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Lets go of the lock, which the caller holds, until someone signals or the deadline has passed.
    func wait(until deadline: MonotonicTime?) {
        guard let deadline else {
            pthread_cond_wait(condition, mutex)
            return
        }
        var time = deadline.timespec
        pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Wakes one thread that waits.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all that wait.
    func broadcast() { pthread_cond_broadcast(condition) }
}

/// A reading of the monotonic clock, which nobody sets.
struct MonotonicTime: Comparable, Sendable {
    private let nanoseconds: Int64

    /// The time now.
    static var now: MonotonicTime {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// In milliseconds since some time.
    var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// A later time.
    func adding(milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds + Int64(milliseconds) * 1_000_000)
    }

    var timespec: Glibc.timespec {
        Glibc.timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
