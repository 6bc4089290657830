// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Telemetry

/// A thread that goes round the tenants and has their writers remove expired cookies and drop the oldest changes, in
/// steps between other work.
///
/// In one interval it removes about a thousand cookies at most and looks at 64 tenants, so that a great clean-up
/// neither fills the disk with changes nor keeps opening files.
///
/// `@unchecked Sendable`: the variables are read and written with `condition` held, `clock` and `next` by the
/// sweeper's thread alone.
final class Sweeper: @unchecked Sendable {
    private static let cookiesPerRound = 1000
    private static let tenantsPerRound = 64
    private static let stepsPerTenant = 20

    private let condition = Condition()
    private let directory: DataDirectory
    private let writers: WriterPool
    private let disk: DiskWatch
    private let logger: Logger
    private let interval: Int
    private var isClosing = false
    private var answer: SweepStep?
    private var thread: OwnThread?
    private var clock = SweepClock()
    private var next: TenantID?

    init(
        directory: DataDirectory, writers: WriterPool, disk: DiskWatch, logger: Logger,
        intervalMilliseconds: Int
    ) throws(StorageOpenError) {
        self.directory = directory
        self.writers = writers
        self.disk = disk
        self.logger = logger
        interval = intervalMilliseconds
        do {
            thread = try OwnThread { [self] in work() }
        } catch {
            throw .thread(errno: error.errno)
        }
    }

    /// Ends the thread.
    func close() {
        let thread = condition.withLock {
            isClosing = true
            condition.broadcast()
            defer { self.thread = nil }
            return self.thread
        }
        thread?.join()
    }

    private func work() {
        while pause() {
            let reading = clock.read()
            if let news = reading.news { logger.log(.warning, news) }
            if reading.isBelieved { round(reading.now) }
        }
    }

    /// Waits for the next round; false when there is none.
    private func pause() -> Bool {
        let time = MonotonicTime.now.adding(milliseconds: interval)
        while MonotonicTime.now < time {
            let ends = condition.withLock {
                let step = min(time, MonotonicTime.now.adding(milliseconds: 1000))
                if !isClosing { condition.wait(until: step) }
                return isClosing
            }
            if ends { return false }
            writers.refuseOverdue()
            disk.look()
        }
        return condition.withLock { !isClosing }
    }

    private func round(_ now: Timestamp) {
        // A directory that cannot be read now is tried again in the next round.
        guard let tenants = try? directory.tenants(), !tenants.isEmpty else { return }
        let start = next.flatMap { next in tenants.firstIndex { $0 >= next } } ?? 0
        var budget = Self.cookiesPerRound
        for offset in 0..<min(tenants.count, Self.tenantsPerRound) {
            let tenant = tenants[(start + offset) % tenants.count]
            next = tenant
            guard budget > 0, sweep(tenant, now, &budget) else { return }
        }
        next = tenants[(start + Self.tenantsPerRound) % tenants.count]
    }

    /// False when the sweeper is to end.
    private func sweep(_ tenant: TenantID, _ now: Timestamp, _ budget: inout Int) -> Bool {
        for _ in 0..<Self.stepsPerTenant where budget > 0 {
            writers.enqueue(.sweep(now: now, limit: budget) { [self] in fill($0) }, for: tenant)
            guard let step = wait() else { return false }
            budget -= step.removed
            if step.isLast { break }
        }
        return true
    }

    private func fill(_ result: Result<SweepStep, JarStorageError>) {
        condition.withLock {
            // A tenant that fails is left for the next round.
            answer = (try? result.get()) ?? SweepStep(removed: 0, isLast: true)
            condition.broadcast()
        }
    }

    /// Waits for the answer to a step, which may itself be refused meanwhile.
    private func wait() -> SweepStep? {
        while true {
            let step = condition.withLock { () -> SweepStep?? in
                if answer == nil { condition.wait(until: .now.adding(milliseconds: 1000)) }
                guard answer != nil else { return nil }
                defer { answer = nil }
                return .some(isClosing ? nil : answer)
            }
            if let step { return step }
            writers.refuseOverdue()
        }
    }
}

/// Looks once a second at what readiness keeps clients away for, so that no write may find out that it is over.
struct DiskWatch: Sendable {
    let ballast: Ballast
    let faults: FaultRegister
    let probe: DirectoryProbe

    /// Waits for the disk, but only while something is wrong.
    func look() {
        _ = ballast.restore()
        if probe.fault != nil || faults.suggestsDisk { probe.run() }
    }
}

/// What one step of a sweep did.
struct SweepStep: Sendable {
    /// How many cookies were removed.
    var removed: Int
    /// Whether the tenant's last jar has been looked at.
    let isLast: Bool
}
