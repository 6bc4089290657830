// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A thread that answers the calls that no lane will: those that were refused, and those that have waited for too long.
///
/// `@unchecked Sendable`: the variables are read and written with `condition` held.
final class Janitor: @unchecked Sendable {
    /// For how long a call may wait for a lane; what is left of its time is enough for the server to answer.
    private static let waitMilliseconds = 2_000
    private static let tickMilliseconds = 250

    private let condition = Condition()
    private let queues: [JobQueue]
    private var refusals: [(job: Job, error: JarStorageError)] = []
    private var isClosing = false

    init(queues: [JobQueue]) { self.queues = queues }

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
            let (refused, isOver) = condition.withLock {
                if refusals.isEmpty, !isClosing {
                    condition.wait(until: .now.adding(milliseconds: Self.tickMilliseconds))
                }
                defer { refusals = [] }
                return (refusals, isClosing)
            }
            for (job, error) in refused { job.refuse(error) }
            let time = MonotonicTime.now.adding(milliseconds: -Self.waitMilliseconds)
            for queue in queues {
                for job in queue.expire(before: time) { job.refuse(.busy) }
            }
            if isOver { return }
        }
    }
}
