// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A thread that answers the calls that no lane will, those that were refused and those that have waited for too long, and
/// those whose answer has to wait after the lane has done its part.
///
/// `@unchecked Sendable`: the variables are read and written with `condition` held.
final class Janitor: @unchecked Sendable {
    /// For how long a call may wait for a lane; what is left of its time is enough for the server to answer.
    private static let waitMilliseconds = 2_000
    private static let tickMilliseconds = 250

    private let condition = Condition()
    private let tick: @Sendable () -> Void
    private var queues: [JobQueue] = []
    private var refusals: [(job: Job, error: JarStorageError)] = []
    private var delayed: [(time: MonotonicTime, body: @Sendable () -> Void)] = []
    private var isClosing = false

    /// A janitor of no queues yet; `tick` is called several times a second.
    init(tick: @escaping @Sendable () -> Void) { self.tick = tick }

    /// Sees to it that nothing waits in these queues for too long.
    func watch(_ queues: [JobQueue]) {
        condition.withLock { self.queues += queues }
    }

    /// Has a call completed with an error, on this thread.
    func refuse(_ job: Job, _ error: JarStorageError) {
        let isOpen = condition.withLock {
            if !isClosing {
                refusals.append((job, error))
                condition.signal()
            }
            return !isClosing
        }
        if !isOpen { job.refuse(.unavailable) }
    }

    /// Calls something on this thread after so many milliseconds; the thread does not end before.
    func call(after milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        condition.withLock {
            delayed.append((.now.adding(milliseconds: milliseconds), body))
            condition.signal()
        }
    }

    /// Ends the thread, when every refusal is out.
    func close() {
        condition.withLock {
            isClosing = true
            condition.signal()
        }
    }

    /// The thread's whole life.
    func work() {
        while true {
            let (refused, due, isOver) = next()
            for (job, error) in refused { job.refuse(error) }
            for body in due { body() }
            tick()
            let time = MonotonicTime.now.adding(milliseconds: -Self.waitMilliseconds)
            for queue in condition.withLock({ queues }) {
                for job in queue.expire(before: time) { job.refuse(.busy) }
            }
            if isOver { return }
        }
    }

    /// What is to be done now, after a while at most, and whether nothing comes after that.
    private func next() -> (
        refused: [(job: Job, error: JarStorageError)], due: [@Sendable () -> Void], isOver: Bool
    ) {
        condition.withLock {
            if refusals.isEmpty, !isClosing || !delayed.isEmpty {
                let tick = MonotonicTime.now.adding(milliseconds: Self.tickMilliseconds)
                condition.wait(until: delayed.map(\.time).min().map { min($0, tick) } ?? tick)
            }
            let now = MonotonicTime.now
            let due = delayed.filter { $0.time <= now }.map(\.body)
            delayed.removeAll { $0.time <= now }
            defer { refusals = [] }
            return (refusals, due, isClosing && delayed.isEmpty)
        }
    }
}
