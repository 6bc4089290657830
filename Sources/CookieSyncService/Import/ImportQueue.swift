// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Synchronization

/// The thread that reads files, and what waits for it.
///
/// Reading a file takes a processor for as long as a second per tens of MiB: too long for an event loop, which serves
/// others meanwhile, and nothing that a queue shared with others should run. The thread ends when there is nothing to
/// do, as a new one costs less than a millisecond.
final class ImportQueue: Sendable {
    /// How many files are read at once; each holds its entries' verdicts.
    private static let maximumFiles = 16

    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let files = Atomic(0)

    /// Makes room for one more file.
    ///
    /// - Returns: Whether there is some; `leave` gives it back.
    func enter() -> Bool {
        let (old, _) = files.add(1, ordering: .relaxed)
        guard old >= Self.maximumFiles else { return true }
        leave()
        return false
    }

    /// Gives the room of a file back.
    func leave() {
        files.subtract(1, ordering: .relaxed)
    }

    /// Runs some work on the thread, after what waits already.
    func run(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread the caller does it: slower for others, but done.
        if starts, !startThread() { drain() }
    }

    /// Does what waits until there is nothing left.
    private func drain() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning ? state.waiting.removeFirst() : nil
        }
    }

    private func startThread() -> Bool {
        let box = Unmanaged.passRetained(self)
        let isStarted = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) {
            attributes in
            guard let attributes = attributes.baseAddress else { return false }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            // Nesting is bounded, but a level of it takes a few hundred octets.
            pthread_attr_setstacksize(attributes, 2 << 20)
            var handle = pthread_t()
            let code = pthread_create(
                &handle, attributes,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<ImportQueue>.fromOpaque(argument).takeRetainedValue().drain()
                    return nil
                }, box.toOpaque())
            return code == 0
        }
        if !isStarted { box.release() }
        return isStarted
    }
}
