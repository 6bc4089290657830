// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The writes of tenants' records that a lane has taken: one transaction for each tenant, as they are rare.
struct RecordRound {
    private static let attempts = 8

    private let connection: PostgresConnection
    private let context: LaneContext
    private let deadline: MonotonicTime
    private var tenants: [TenantID: [Job]] = [:]

    init(
        _ connection: PostgresConnection, _ context: LaneContext, until deadline: MonotonicTime
    ) {
        self.connection = connection
        self.context = context
        self.deadline = deadline
    }

    mutating func add(_ job: Job) {
        guard case .writeTenant(let tenant, _, _) = job.kind else { return }
        tenants[tenant, default: []].append(job)
    }

    /// Completes the calls; answers those that are to be done once more on another connection.
    func run() -> [Job] {
        tenants.flatMap { tenant, jobs in write(jobs, tenant) }
    }

    /// What a transaction came to.
    private enum Outcome {
        case done
        case overtaken
        case failed(PostgresError)
        case inDoubt
    }

    private func write(_ jobs: [Job], _ tenant: TenantID) -> [Job] {
        for _ in 0..<Self.attempts {
            let found = Loader.load(
                jars: [], tenants: [tenant], on: connection, context.cache, until: deadline)
            let base: KnownTenant
            do throws(PostgresError) {
                guard let known = try found.tenants[tenant]?.get() else {
                    throw PostgresError.lost("load tenant")
                }
                base = known
            } catch {
                return jobs.compactMap { context.refuse($0, error) }
            }
            switch attempt(jobs, tenant, base) {
            case .done: return []
            case .overtaken: continue
            case .failed(let error): return jobs.compactMap { context.refuse($0, error) }
            case .inDoubt:
                for job in jobs { job.refuse(.inDoubt) }
                return []
            }
        }
        for job in jobs { job.refuse(.busy) }
        return []
    }

    /// Runs the operations on that state and commits what they come to.
    private func attempt(_ jobs: [Job], _ tenant: TenantID, _ base: KnownTenant) -> Outcome {
        var state = base.state
        var changes: [TenantChange] = []
        var calls: [(Job.Completion<TenantState>, TenantState)] = []
        for job in jobs {
            guard case .writeTenant(_, let operation, _) = job.kind else { continue }
            var draft = TenantDraft(state)
            let completion = operation(&draft)
            changes += draft.changes
            state = draft.state
            calls.append((completion, state))
        }
        // What changes nothing was decided on what the database has just confirmed.
        if !changes.isEmpty {
            let after = KnownTenant(state: state, stamp: .random(in: .min ... .max))
            let outcome = commit(
                TenantWrite(tenant: tenant, base: base, changes: changes, after: after))
            guard case .done = outcome else {
                context.cache.remove(tenant)
                return outcome
            }
            context.cache.insert(after, of: tenant)
        }
        for (completion, state) in calls { completion(.success(state)) }
        return .done
    }

    private func commit(_ write: TenantWrite) -> Outcome {
        var script = Script()
        script.add(Statements.begin)
        script.enter(write.tenant.bytes)
        let number = write.add(to: &script)
        let commitNumber = script.add(Statements.commit)
        let exchange = connection.run(script, until: deadline)
        guard let failure = exchange.failure else {
            if exchange.results[number].count == 0 { return .overtaken }
            return exchange.hasWarning ? .inDoubt : .done
        }
        if connection.isUsable {
            var rollback = Script()
            rollback.add(Statements.rollback)
            _ = connection.run(rollback, until: deadline)
        } else if failure.kind == .lost || exchange.results.count >= commitNumber {
            context.health.report(failure)
            return .inDoubt
        }
        return connection.isUsable && failure.isConflict ? .overtaken : .failed(failure)
    }
}
