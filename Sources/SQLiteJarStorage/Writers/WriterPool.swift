// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The threads that write, and the queues of the tenants that have something to do.
///
/// A tenant is claimed by one thread at a time; the thread takes everything that has queued and works on it
/// without the lock. The lock is held for moves between lists only.
///
/// `@unchecked Sendable`: (1) every stored variable, and every variable of a `TenantQueue` but its writer, is
/// read and written with `condition` held; (2) a queue's writer is used only by the thread that has claimed it,
/// and claims are handed on under the same lock, which orders the threads' uses.
final class WriterPool: @unchecked Sendable {
    /// What is queued for one tenant.
    private final class TenantQueue {
        let writer: TenantWriter
        var jobs: [Job] = []
        /// Since when each of them waits.
        var arrivals: [MonotonicTime] = []
        var isClaimed = false
        var isWaitingToFold = false
        var lastUse = MonotonicTime.now
        /// As the writer was when its last round ended.
        var isOpen = false
        var unfolded = 0

        init(_ writer: TenantWriter) { self.writer = writer }
    }

    private let condition = Condition()
    private let context: WriterContext
    private let directory: DataDirectory
    private var tenants: [TenantID: TenantQueue] = [:]
    private var ready: [TenantQueue] = []
    private var refusals: [Job] = []
    private var foldQueue: [TenantQueue] = []
    private var openCount = 0
    private var unfoldedCount = 0
    private var queuedCount = 0
    private var refusedCount = 0
    private var isClosing = false
    private var threads: [OwnThread] = []
    /// Where the threads wait that have nothing to do, the one that has waited for longest first.
    private var idle: [Condition.Place] = []
    private var lock: DirectoryLock?

    /// A pool whose threads run until `close`.
    init(
        directory: DataDirectory, lock: consuming DirectoryLock, context: WriterContext
    ) throws(StorageOpenError) {
        self.context = context
        self.directory = directory
        self.lock = consume lock
        for _ in 0..<max(1, context.configuration.writerThreads) {
            do {
                threads.append(try OwnThread { [self] in work() })
            } catch {
                close()
                throw .thread(errno: error.errno)
            }
        }
    }

    /// What the writers count.
    var tally: StorageTally { context.tally }

    /// How many calls wait, how many were refused so far, how many tenants are open, and how many of their changes are not
    /// folded.
    var load: (queued: Int, refused: Int, openTenants: Int, unfolded: Int) {
        condition.withLock { (queuedCount, refusedCount, openCount, unfoldedCount) }
    }

    /// Queues a job.
    ///
    /// One that cannot be taken is refused: by a thread of the pool, or, when the pool is closed and has none
    /// any more, at once.
    func enqueue(_ job: Job, for tenant: TenantID) {
        let isOpen = condition.withLock {
            guard !isClosing else { return false }
            let queue = self.queue(of: tenant)
            if queue.jobs.count >= context.configuration.queueLimit {
                refusals.append(job)
                refusedCount += 1
                wake()
            } else {
                queue.jobs.append(job)
                queue.arrivals.append(.now)
                queuedCount += 1
                // The thread that has claimed the tenant looks at its queue again; to wake another would only
                // take its core away.
                if !queue.isClaimed { wake() }
                schedule(queue)
            }
            return true
        }
        if !isOpen { job.refuse(.unavailable) }
    }

    /// Refuses what has waited for its tenant for too long, as behind a disk that does not answer.
    ///
    /// Called once in a while by a thread that does not write. None of it has been begun, so the refusal is true.
    func refuseOverdue() {
        let overdue = condition.withLock {
            let time = MonotonicTime.now
            var overdue: [Job] = []
            for queue in tenants.values {
                let late = queue.arrivals.prefix {
                    $0.adding(milliseconds: context.configuration.queueMilliseconds) < time
                }
                guard !late.isEmpty else { continue }
                overdue += queue.jobs.prefix(late.count)
                queue.jobs.removeFirst(late.count)
                queue.arrivals.removeFirst(late.count)
            }
            queuedCount -= overdue.count
            refusedCount += overdue.count
            return overdue
        }
        for job in overdue { job.refuse(.busy) }
    }

    /// Finishes what has queued, ends the threads and closes every file.
    ///
    /// Not to be called by a completion.
    func close() {
        let (threads, isFirst) = condition.withLock {
            defer { (self.threads, isClosing) = ([], true) }
            while !idle.isEmpty { wake() }
            return (self.threads, !isClosing)
        }
        for thread in threads { thread.join() }
        let queues = condition.withLock {
            defer { tenants = [:] }
            return tenants
        }
        if isFirst { writeAccesses(queues.mapValues(\.writer)) }
        for queue in queues.values { queue.writer.close() }
        condition.withLock { lock = nil }
    }

    /// Writes when the cookies in memory were last used, those of open tenants first; what does not go into two seconds
    /// is forgotten, as whoever stops the process waits for it.
    private func writeAccesses(_ writers: [TenantID: TenantWriter]) {
        let end = MonotonicTime.now.adding(milliseconds: Self.accessMilliseconds)
        let all = context.cache.all.map { (known: writers[$0.key], tenant: $0.key, jars: $0.value) }
        for (known, tenant, jars) in all.sorted(by: { $0.known != nil && $1.known == nil }) {
            let used = jars.filter(\.state.hasAccesses)
            guard !used.isEmpty, MonotonicTime.now < end else { continue }
            let writer =
                known
                ?? TenantWriter(
                    tenant: tenant, folder: directory.folder(of: tenant), context: context)
            // What is folded later would put the time of the row in the place of a later one.
            while writer.unfoldedCount > 0, MonotonicTime.now < end, writer.fold() {}
            for start in stride(from: 0, to: used.count, by: Self.accessChunk)
            where MonotonicTime.now < end {
                writer.writeAccesses(
                    of: Array(used[start..<min(start + Self.accessChunk, used.count)]))
            }
            if known == nil { writer.close() }
        }
    }

    private static let accessMilliseconds = 2000
    private static let accessChunk = 1000

    // Everything below runs on the pool's threads.

    private enum Task {
        case work(TenantQueue, [Job])
        case fold(TenantQueue)
        case refuse([Job])
    }

    private func work() {
        let place = Condition.Place()
        while let task = nextTask(waitingAt: place) {
            switch task {
            case .refuse(let jobs):
                for job in jobs { job.refuse(.busy) }
            case .work(let queue, let jobs):
                let written = queue.writer.writtenCount
                if !jobs.isEmpty { WriteBatch.run(jobs, on: queue.writer) }
                if condition.withLock({ isClosing }) { queue.writer.abandonCopy() }
                queue.writer.continueCopy()
                foldIfDue(queue, written: queue.writer.writtenCount &- written)
                release(queue)
            case .fold(let queue):
                while queue.writer.fold(), queue.writer.unfoldedCount > 0, isIdle(queue) {}
                release(queue)
            }
        }
    }

    /// Waits for something to do; nil when the pool is closing and nothing is left.
    private func nextTask(waitingAt place: Condition.Place) -> Task? {
        condition.withLock {
            defer { idle.removeAll { $0 === place } }
            while true {
                if !refusals.isEmpty {
                    defer { refusals = [] }
                    return .refuse(refusals)
                }
                if !ready.isEmpty {
                    let queue = ready.removeFirst()
                    queuedCount -= queue.jobs.count
                    defer { (queue.jobs, queue.arrivals) = ([], []) }
                    return .work(queue, queue.jobs)
                }
                if isClosing { return nil }
                let now = MonotonicTime.now
                if let queue = nextFold(now) { return .fold(queue) }
                // One that only looked whether there is something to fold keeps its turn.
                if !idle.contains(where: { $0 === place }) { idle.append(place) }
                condition.wait(at: place, until: foldQueue.map(foldTime).min())
            }
        }
    }

    /// Folds after a round that has written so many changes: while there is enough and nobody waits; once when there is too
    /// much, as what waits supersedes much of it; and when there is far too much as many as the round has written, whoever
    /// waits, lest the log grow without end.
    private func foldIfDue(_ queue: TenantQueue, written: Int) {
        let (writer, threshold) = (queue.writer, context.configuration.foldThreshold)
        var owed = writer.unfoldedCount >= threshold * 2 ? 1 : 0
        if writer.unfoldedCount >= threshold * 4 { owed = max(owed, written) }
        while owed > 0 || (writer.unfoldedCount >= threshold && isIdle(queue)) {
            let before = writer.unfoldedCount
            guard writer.fold() else { return }
            owed -= before - writer.unfoldedCount
        }
    }

    /// Whether there is nothing that the thread at work on this tenant should do rather than fold.
    private func isIdle(_ queue: TenantQueue) -> Bool {
        condition.withLock {
            queue.jobs.isEmpty && ready.isEmpty && refusals.isEmpty && !isClosing
        }
    }

    /// Hands a claimed queue back, and closes the files of another one if too many are open.
    private func release(_ queue: TenantQueue) {
        let isOpen = queue.writer.isOpen
        let unfolded = queue.writer.unfoldedCount
        let isWorthKeeping = queue.writer.isWorthKeeping
        let isCopying = queue.writer.isCopying
        let victim = condition.withLock { () -> TenantQueue? in
            if isOpen != queue.isOpen { openCount += isOpen ? 1 : -1 }
            queue.isOpen = isOpen
            unfoldedCount += unfolded - queue.unfolded
            queue.unfolded = unfolded
            queue.lastUse = .now
            queue.isClaimed = false
            if unfolded > 0, !queue.isWaitingToFold {
                queue.isWaitingToFold = true
                foldQueue.append(queue)
            }
            if !queue.jobs.isEmpty || isCopying {
                schedule(queue)
            } else if !isWorthKeeping {
                tenants[queue.writer.tenant] = nil
            }
            return claimVictim()
        }
        guard let victim else { return }
        victim.writer.close()
        release(victim)
    }

    // Everything below is called with the lock held.

    /// Wakes a thread, if one has nothing to do: the one that was at work last, so that a tenant that is written to all the
    /// time stays with one thread, and what it works with in that thread's memory and cache.
    private func wake() { idle.popLast()?.signal() }

    private func queue(of tenant: TenantID) -> TenantQueue {
        if let queue = tenants[tenant] { return queue }
        let queue = TenantQueue(
            TenantWriter(
                tenant: tenant, folder: directory.folder(of: tenant), context: context))
        tenants[tenant] = queue
        return queue
    }

    private func schedule(_ queue: TenantQueue) {
        guard !queue.isClaimed else { return }
        queue.isClaimed = true
        ready.append(queue)
    }

    private func foldTime(_ queue: TenantQueue) -> MonotonicTime {
        queue.lastUse.adding(milliseconds: context.configuration.idleFoldMilliseconds)
    }

    /// Claims a tenant that has been idle for long enough to fold.
    ///
    /// Complexity: O(open tenants).
    private func nextFold(_ now: MonotonicTime) -> TenantQueue? {
        while let index = foldQueue.firstIndex(where: { foldTime($0) <= now }) {
            let queue = foldQueue.remove(at: index)
            queue.isWaitingToFold = false
            guard !queue.isClaimed, queue.isOpen else { continue }
            queue.isClaimed = true
            return queue
        }
        return nil
    }

    /// Claims the open tenant that has been idle for longest, if too many are open.
    private func claimVictim() -> TenantQueue? {
        guard openCount > context.configuration.maximumOpenTenants else { return nil }
        let idle = tenants.values.filter { $0.isOpen && !$0.isClaimed }
        guard let victim = idle.min(by: { $0.lastUse < $1.lastUse }) else { return nil }
        victim.isClaimed = true
        return victim
    }
}
