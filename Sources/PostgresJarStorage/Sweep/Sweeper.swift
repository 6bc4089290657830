// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Telemetry

/// A thread that goes round the tenants, as those of other nodes do: each takes the one that has waited for longest.
///
/// In one interval it removes about a thousand cookies at most, so that a great clean-up neither floods the feeds nor
/// holds others up.
///
/// `@unchecked Sendable`: the variables are read and written with `condition` held, `clock` by the sweeper's thread
/// alone.
final class Sweeper: @unchecked Sendable {
    private static let cookiesPerRound = 1000
    private static let tenantsPerRound = 64

    private let condition = Condition()
    private let interval: Int
    private let retention: Int64
    private let changeLimit: Int64
    private let logger: Logger
    private let enqueue: @Sendable (Job.Kind) -> Void
    /// Hears of tenants with a rule that is still to be applied to jars from before it.
    let unfinishedRules = Locked<(@Sendable (TenantID) -> Void)?>(nil)
    private var isClosing = false
    private var clock = SweepClock()

    /// A sweeper whose calls wait with all others.
    init(
        _ configuration: PostgresJarStorageConfiguration, logger: Logger,
        enqueue: @escaping @Sendable (Job.Kind) -> Void
    ) {
        interval = configuration.sweepIntervalMilliseconds
        retention = Int64(configuration.changeRetentionSeconds) * 1000
        changeLimit = Int64(configuration.changeLimit)
        self.logger = logger
        self.enqueue = enqueue
    }

    /// Ends the thread.
    func close() {
        condition.withLock {
            isClosing = true
            condition.broadcast()
        }
    }

    /// The thread's whole life.
    func work() {
        while pause() {
            let reading = clock.read()
            if let news = reading.news { logger.log(.warning, news) }
            if reading.isBelieved { round(reading.now) }
        }
    }

    /// Waits for the next round; false when there is none.
    private func pause() -> Bool {
        condition.withLock {
            let time = MonotonicTime.now.adding(milliseconds: interval)
            while !isClosing, MonotonicTime.now < time { condition.wait(until: time) }
            return !isClosing
        }
    }

    private func round(_ now: Timestamp) {
        var budget = Self.cookiesPerRound
        for _ in 0..<Self.tenantsPerRound where budget > 0 {
            let due = now.milliseconds - Int64(interval)
            let rows = ask(
                Request(Statements.takeTenant, of: nil) { parameters in
                    parameters.integer(now.milliseconds)
                    parameters.integer(due)
                }
            ) { rows in rows.count > 0 ? TenantID(rows.octets(0, 0)) : nil }
            guard let tenant = rows ?? nil else { return }
            resumeRules(of: tenant)
            sweep(tenant, now, &budget)
        }
    }

    /// Tells of a tenant whose rules are not applied everywhere: the node that began it may be gone.
    private func resumeRules(of tenant: TenantID) {
        let records = wait { fill in
            enqueue(.readTenant(tenant) { fill(try? $0.get()) })
        }
        guard records?.syncRules.contains(where: \.isUnfinished) == true else { return }
        unfinishedRules.withLock { $0 }?(tenant)
    }

    /// What is to be done with a jar.
    private struct Finding: Sendable {
        let jar: JarID
        let hasExpired: Bool
        let hasOld: Bool
    }

    private func sweep(_ tenant: TenantID, _ now: Timestamp, _ budget: inout Int) {
        let drop = Request(Statements.dropAnswers, of: tenant) { parameters in
            parameters.octets(tenant.bytes)
            parameters.integer(now.milliseconds)
        }
        _ = ask(drop) { _ in true }
        var after: [UInt8] = []
        while budget > 0 {
            guard let page = findings(in: tenant, after: after, now), let last = page.last else {
                return
            }
            for finding in page {
                let address = JarAddress(tenant: tenant, jar: finding.jar)
                if finding.hasExpired { budget -= removeExpired(at: address, budget, now) }
                if finding.hasOld { compact(address, now) }
            }
            after = last.jar.bytes
        }
    }

    private func findings(
        in tenant: TenantID, after: [UInt8], _ now: Timestamp
    ) -> [Finding]? {
        let request = Request(Statements.sweepPage, of: tenant) { [retention, changeLimit] in
            $0.octets(tenant.bytes)
            $0.octets(after)
            $0.integer(now.milliseconds)
            $0.integer(now.milliseconds - retention)
            $0.integer(changeLimit)
        }
        return ask(request) { rows in
            (0..<rows.count).compactMap { row in
                JarID(rows.octets(row, 0)).map {
                    Finding(jar: $0, hasExpired: rows.flag(row, 1), hasOld: rows.flag(row, 2))
                }
            }
        }
    }

    private func removeExpired(at address: JarAddress, _ limit: Int, _ now: Timestamp) -> Int {
        let removed = wait { fill in
            enqueue(
                .write(
                    address,
                    { draft in
                        var count = 0
                        for store in draft.state.stores.keys.sorted() where count < limit {
                            count += draft.removeExpired(
                                in: store, limit: limit - count, now: now)
                        }
                        return { [count] _ in fill(count) }
                    }, refuse: { _ in fill(nil) }))
        }
        return removed ?? 0
    }

    private func compact(_ address: JarAddress, _ now: Timestamp) {
        let request = Request(Statements.compact, of: address.tenant) { [retention, changeLimit] in
            $0.octets(address.tenant.bytes)
            $0.octets(address.jar.bytes)
            $0.integer(now.milliseconds - retention)
            $0.integer(changeLimit)
        }
        _ = ask(request) { _ in true }
    }

    /// What a statement gave; nil when it failed, which leaves its work to a later round.
    private func ask<Value: Sendable>(
        _ request: Request, _ decode: @escaping @Sendable (QueryResult) -> Value
    ) -> Value? {
        wait { fill in
            enqueue(
                .query(request) { result in
                    switch result {
                    case .success(let rows): fill(decode(rows))
                    case .failure: fill(nil)
                    }
                })
        }
    }

    private func wait<Value: Sendable>(
        _ start: (@escaping @Sendable (Value?) -> Void) -> Void
    ) -> Value? {
        let slot = Slot<Value?>()
        start(slot.fill)
        return slot.wait()
    }
}
