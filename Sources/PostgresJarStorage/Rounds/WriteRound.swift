// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The writes that a lane has taken: one transaction, one round trip and one commit for all of their jars.
///
/// At first on what is known of the jars: each jar's statement does nothing when the jar has moved on, and what it
/// started from is then wrong for that jar alone. Those are done again with their rows locked before they are read, which
/// cannot be overtaken. An operation that changes nothing is held to the same: its answer goes out only if what it
/// looked at is current.
struct WriteRound {
    private static let attempts = 6

    private let connection: PostgresConnection
    private let context: LaneContext
    private let deadline: MonotonicTime
    private var jars: [JarAddress: WorkingJar] = [:]

    init(
        _ connection: PostgresConnection, _ context: LaneContext, until deadline: MonotonicTime
    ) {
        self.connection = connection
        self.context = context
        self.deadline = deadline
    }

    mutating func add(_ job: Job) {
        guard case .write(let address, _, _) = job.kind else { return }
        jars[address, default: WorkingJar(address)].add(job)
    }

    /// Completes the calls; answers those that are to be done once more on another connection.
    func run() -> [Job] {
        // In the order in which everyone locks.
        var outcome = Outcome(overtaken: jars.values.sorted { $0.address < $1.address })
        for attempt in 0..<Self.attempts where !outcome.overtaken.isEmpty {
            let rest = outcome.overtaken
            outcome.overtaken = []
            switch attempt {
            case 0: commit(look(rest, again: false, &outcome), isOpen: false, &outcome)
            case 1: commit(look(rest, again: true, &outcome), isOpen: false, &outcome)
            default: commit(lock(rest, &outcome), isOpen: true, &outcome)
            }
        }
        for jar in outcome.overtaken { fail(jar, .busy) }
        for jar in outcome.apart { outcome.interrupted += alone(jar) }
        return outcome.interrupted
    }

    /// Does one jar's writes by itself, after they failed together with others.
    private func alone(_ jar: WorkingJar) -> [Job] {
        guard connection.isUsable else { return refuse(jar, .lost("write")) }
        var outcome = Outcome(overtaken: [jar])
        for _ in 0..<Self.attempts where !outcome.overtaken.isEmpty {
            outcome.overtaken = []
            commit(lock([jar], &outcome), isOpen: true, &outcome)
        }
        if !outcome.overtaken.isEmpty { fail(jar, .busy) }
        return outcome.interrupted
    }

    /// What became of the jars, those left out whose calls have been answered.
    private struct Outcome {
        /// Not at the revision that they started from.
        var overtaken: [WorkingJar] = []
        /// To be done by themselves: a transaction failed, perhaps because of one of them.
        var apart: [WorkingJar] = []
        /// To be done once more on another connection.
        var interrupted: [Job] = []
    }

    /// Applies the operations to what is known, or to what is there now.
    private func look(_ jars: [WorkingJar], again: Bool, _ outcome: inout Outcome) -> [WorkingJar] {
        var found = Loader.Findings()
        let tenants = Set(jars.map(\.address.tenant))
        if !again {
            for jar in jars {
                if let known = context.cache.find(jar.address) {
                    found.jars[jar.address] = .success(known)
                }
            }
            for tenant in tenants {
                if let known = context.cache.find(tenant) {
                    found.tenants[tenant] = .success(known)
                }
            }
        }
        let loaded = Loader.load(
            jars: jars.map(\.address).filter { found.jars[$0] == nil },
            tenants: tenants.filter { found.tenants[$0] == nil }, on: connection, context.cache,
            until: deadline)
        found.jars.merge(loaded.jars) { $1 }
        found.tenants.merge(loaded.tenants) { $1 }
        return apply(jars, found, &outcome)
    }

    /// Begins a transaction, locks the jars' rows, and applies the operations to what they hold then.
    private func lock(_ jars: [WorkingJar], _ outcome: inout Outcome) -> [WorkingJar] {
        var script = Script()
        script.add(Statements.begin)
        for jar in jars {
            script.enter(jar.address.tenant.bytes)
            script.add(Statements.lock) { parameters in
                parameters.octets(jar.address.tenant.bytes)
                parameters.octets(jar.address.jar.bytes)
            }
        }
        let tenants = Set(jars.map(\.address.tenant)).sorted()
        let recordNumbers = tenants.map { script.add(.load($0)) }
        let numbers = jars.map { script.add(.load($0.address)) }
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure {
            rollBack()
            sort(jars, failure, into: &outcome)
            return []
        }
        var found = Loader.Findings()
        for (tenant, number) in zip(tenants, recordNumbers) {
            found.tenants[tenant] = Result { () throws(PostgresError) in
                try KnownTenant(loaded: exchange.results[number])
            }
        }
        for (jar, number) in zip(jars, numbers) {
            found.jars[jar.address] = Result { () throws(PostgresError) in
                try KnownJar(loaded: exchange.results[number])
            }
        }
        return apply(jars, found, &outcome)
    }

    private func apply(
        _ jars: [WorkingJar], _ found: Loader.Findings, _ outcome: inout Outcome
    ) -> [WorkingJar] {
        var applied: [WorkingJar] = []
        for var jar in jars {
            do throws(PostgresError) {
                let records = try found.tenants[jar.address.tenant]?.get()
                let base = try found.jars[jar.address]?.get()
                guard let records, let base else { throw PostgresError.lost("load") }
                jar.apply(to: base, records)
                applied.append(jar)
            } catch {
                outcome.interrupted += refuse(jar, error)
            }
        }
        return applied
    }

    /// Writes what the jars have become, and commits.
    private func commit(_ jars: [WorkingJar], isOpen: Bool, _ outcome: inout Outcome) {
        guard !jars.isEmpty else {
            if isOpen { rollBack() }
            return
        }
        var script = Script()
        if !isOpen { script.add(Statements.begin) }
        var numbers: [Int] = []
        for jar in jars {
            script.enter(jar.address.tenant.bytes)
            if jar.isDirty {
                numbers.append(jar.write.add(to: &script))
            } else {
                numbers.append(script.add(.check([jar.address.jar], of: jar.address.tenant)))
                _ = script.add(.check(jar.address.tenant))
            }
        }
        let commitNumber = script.add(Statements.commit)
        let exchange = connection.run(script, until: deadline)
        guard let failure = exchange.failure else {
            for (jar, number) in zip(jars, numbers) {
                publish(jar, exchange, number, &outcome)
            }
            return
        }
        recover(jars, failure, isDecided: exchange.results.count < commitNumber, &outcome)
    }

    /// The transaction is committed: what was written is there for all to see, unless the server says that it did not
    /// wait for it to be safe.
    private func publish(
        _ jar: WorkingJar, _ exchange: Exchange, _ number: Int, _ outcome: inout Outcome
    ) {
        let rows = exchange.results[number]
        guard jar.isDirty else {
            // Rows that cannot be read are no confirmation; the next attempt finds out why.
            let isCurrent =
                (try? Standings(rows).confirm(jar.base, jar.address.jar)
                    && jar.records.isConfirmed(by: exchange.results[number + 1])) ?? false
            if isCurrent { jar.complete() } else { outcome.overtaken.append(jar) }
            return
        }
        if rows.count == 0 {
            outcome.overtaken.append(jar)
        } else if exchange.hasWarning {
            // Committed on this server, but the wait for its standby was cut short: a failover may undo it.
            fail(jar, .inDoubt)
        } else {
            context.cache.insert(jar.after, at: jar.address)
            jar.complete()
            let revision = jar.after.snapshot.state.revision
            context.commits.ring(jar.address, revision)
            context.tell(jar.address, revision)
        }
    }

    /// The transaction failed.
    ///
    /// `isDecided` when it was before COMMIT. With the connection gone that says nothing unless the server itself said
    /// that it stops: what was sent may still be carried out.
    private func recover(
        _ jars: [WorkingJar], _ failure: PostgresError, isDecided: Bool, _ outcome: inout Outcome
    ) {
        rollBack()
        let isInDoubt = !connection.isUsable && (failure.kind == .lost || !isDecided)
        guard isInDoubt else { return sort(jars, failure, into: &outcome) }
        context.health.report(failure)
        for jar in jars {
            if jar.isDirty {
                fail(jar, .inDoubt)
            } else {
                outcome.interrupted += refuse(jar, failure)
            }
        }
    }

    /// Says what is to be done with jars whose transaction was rolled back.
    private func sort(
        _ jars: [WorkingJar], _ failure: PostgresError, into outcome: inout Outcome
    ) {
        for jar in jars {
            if connection.isUsable, failure.isConflict {
                outcome.overtaken.append(jar)
            } else if connection.isUsable, failure.mayBeOfOneJar, jars.count > 1 {
                outcome.apart.append(jar)
            } else {
                outcome.interrupted += refuse(jar, failure)
            }
        }
    }

    private func rollBack() {
        guard connection.isUsable else { return }
        var script = Script()
        script.add(Statements.rollback)
        _ = connection.run(script, until: deadline)
    }

    private func refuse(_ jar: WorkingJar, _ error: PostgresError) -> [Job] {
        jar.jobs.compactMap { context.refuse($0, error) }
    }

    private func fail(_ jar: WorkingJar, _ error: JarStorageError) {
        context.cache.remove(jar.address)
        for job in jar.jobs { job.refuse(error) }
    }
}
