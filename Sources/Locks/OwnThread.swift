// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of our own: its calls may wait for the disk, which no shared queue must do.
///
/// `@unchecked Sendable`: the handle is set once, before anyone else sees the object.
public final class OwnThread: @unchecked Sendable {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let handle: pthread_t

    /// Starts a thread that runs `body`.
    ///
    /// - Throws: `ThreadError` when the system has no room for another one.
    public init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let box = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw ThreadError(errno: code)
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    public func join() { pthread_join(handle, nil) }
}

/// Why there is no thread.
public struct ThreadError: Error, Hashable, Sendable {
    /// What `pthread_create` answered.
    public let errno: Int32
}
