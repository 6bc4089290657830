// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// A value behind a lock.
///
/// `Synchronization.Mutex` would do, but where it has to wait it does so in a futex of its own that ThreadSanitizer knows
/// nothing of: every access would be reported as a race, and a real one would drown among them. This lock it understands.
///
/// `@unchecked Sendable`, because the compiler cannot see that
/// 1. the value is read and written in `withLock` only, by one thread at a time, and
/// 2. mutex and value stay at their addresses for as long as the object lives.
public final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    // Behind a pointer, so that the runtime does not check once more what the lock assures.
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    /// A lock around this value.
    @inlinable
    public init(_ value: Value) {
        self.value.initialize(to: value)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls a closure with the value, which nobody else touches meanwhile.
    ///
    /// Must not be called from within itself.
    ///
    /// - Parameter body: what to do.
    /// - Returns: what the closure returned.
    /// - Throws: what the closure threw.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
