// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A value behind a lock.
///
/// `Synchronization.Mutex` would do, but it waits in a futex of its own that ThreadSanitizer knows nothing of: every
/// access would be reported as a race, and a real one would drown among them. This lock it understands.
///
/// `@unchecked Sendable`, because the compiler cannot see that
/// 1. the value is read and written in `withLock` only, by one thread at a time, and
/// 2. the mutex stays at its address for as long as the object lives.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls a closure with the value, which nobody else touches meanwhile.
    ///
    /// Must not be called from within itself.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
