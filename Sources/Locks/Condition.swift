// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// A mutex with a condition that threads can wait for, on the monotonic clock.
///
/// `@unchecked Sendable`: both pointers are set once and point to objects that POSIX makes for threads to share.
public final class Condition: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let place = Place()

    /// Where threads wait that are to be woken apart from others.
    ///
    /// `@unchecked Sendable`: as the condition's mutex.
    public final class Place: @unchecked Sendable {
        fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        /// A place where nobody waits.
        public init() {
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }

        /// Wakes one thread that waits here.
        public func signal() { pthread_cond_signal(condition) }
    }

    /// A mutex that nobody holds.
    public init() { pthread_mutex_init(mutex, nil) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread is in here.
    @inlinable
    public func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Lets go of the lock, which the caller holds, until someone signals or the deadline has passed.
    public func wait(until deadline: MonotonicTime?) { wait(at: place, until: deadline) }

    /// The same at a place of its own, which `signal` and `broadcast` do not reach.
    public func wait(at place: Place, until deadline: MonotonicTime?) {
        guard let deadline else {
            pthread_cond_wait(place.condition, mutex)
            return
        }
        var time = deadline.timespec
        pthread_cond_timedwait(place.condition, mutex, &time)
    }

    /// Wakes one thread that waits.
    public func signal() { place.signal() }

    /// Wakes all that wait.
    public func broadcast() { pthread_cond_broadcast(place.condition) }
}
