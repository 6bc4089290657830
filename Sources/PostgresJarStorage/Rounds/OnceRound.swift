// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks

/// The writes that are to take effect once: each a transaction of its own, which holds the row of its key from the start.
///
/// Of several with one key, on whichever nodes, the others wait for the first and then find its answer.
struct OnceRound {
    private static let attempts = 6

    private let connection: PostgresConnection
    private let context: LaneContext
    private let deadline: MonotonicTime
    private var jobs: [Job] = []

    init(
        _ connection: PostgresConnection, _ context: LaneContext, until deadline: MonotonicTime
    ) {
        self.connection = connection
        self.context = context
        self.deadline = deadline
    }

    mutating func add(_ job: Job) { jobs.append(job) }

    /// Completes the calls; answers those that are to be done once more on another connection.
    func run() -> [Job] {
        jobs.compactMap { job in
            guard case .writeOnce(let address, let key, let operation, let replay) = job.kind else {
                return nil
            }
            let write = OnceWrite(address: address, key: key, operation: operation, replay: replay)
            for _ in 0..<Self.attempts {
                guard connection.isUsable else { return context.refuse(job, .lost("write once")) }
                switch attempt(write) {
                case .done: return nil
                case .overtaken: continue
                case .failed(let error): return context.refuse(job, error)
                case .inDoubt:
                    replay(.failure(.inDoubt))
                    return nil
                }
            }
            replay(.failure(.busy))
            return nil
        }
    }

    private struct OnceWrite {
        let address: JarAddress
        let key: WriteKey
        let operation: Job.OnceOperation
        let replay: Job.Completion<[UInt8]>
    }

    private enum Outcome {
        case done
        case overtaken
        case failed(PostgresError)
        case inDoubt
    }

    /// Takes the key and the jar, and does what is to be done.
    private func attempt(_ write: OnceWrite) -> Outcome {
        let (tenant, jar) = (write.address.tenant, write.address.jar)
        var script = Script()
        script.add(Statements.begin)
        script.enter(tenant.bytes)
        let keyNumber = script.add(Statements.takeKey) { parameters in
            parameters.octets(tenant.bytes)
            parameters.octets(write.key.key)
            parameters.octets(write.key.fingerprint)
            parameters.integer(write.key.expires.milliseconds)
        }
        script.add(Statements.lock) { parameters in
            parameters.octets(tenant.bytes)
            parameters.octets(jar.bytes)
        }
        let recordNumber = script.add(.load(tenant))
        let jarNumber = script.add(.load(write.address))
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure { return fail(failure, isInDoubt: false) }
        do throws(PostgresError) {
            if let kept = try keptAnswer(exchange.results[keyNumber], write.key) {
                rollBack()
                write.replay(kept.result(for: write.key))
                return .done
            }
            return perform(
                write, on: try KnownJar(loaded: exchange.results[jarNumber]),
                try KnownTenant(loaded: exchange.results[recordNumber]))
        } catch {
            return fail(error, isInDoubt: false)
        }
    }

    /// The answer under the key; nil when there is none, or one whose time is over.
    private func keptAnswer(
        _ rows: QueryResult, _ key: WriteKey
    ) throws(PostgresError) -> KeptAnswer? {
        guard rows.count > 0, let body = rows.optionalOctets(0, 1),
            try rows.integer(0, 2) > key.at.milliseconds
        else { return nil }
        return KeptAnswer(fingerprint: rows.octets(0, 0), body: body)
    }

    /// Runs the operation on what is locked, and commits it with its answer.
    private func perform(
        _ write: OnceWrite, on base: KnownJar, _ records: KnownTenant
    ) -> Outcome {
        var draft = JarDraft(base.snapshot.state, tenant: records.state)
        let (kept, complete) = write.operation(&draft)
        guard let kept else {
            rollBack()
            complete(.success(base.snapshot))
            return .done
        }
        let isDirty = !draft.changes.isEmpty
        let after = KnownJar(
            snapshot: isDirty ? JarSnapshot(draft.state) : base.snapshot,
            stamp: isDirty ? .random(in: .min ... .max) : base.stamp)
        var script = Script()
        var number: Int?
        if isDirty {
            number = JarWrite(
                address: write.address, base: base, changes: draft.changes, after: after,
                records: records
            ).add(to: &script)
        }
        script.add(Statements.keepAnswer) { parameters in
            parameters.octets(write.address.tenant.bytes)
            parameters.octets(write.key.key)
            parameters.octets(write.key.fingerprint)
            parameters.integer(write.key.expires.milliseconds)
            parameters.octets(kept)
        }
        guard let number else { return commit(script) { complete(.success(base.snapshot)) } }
        // The jar is written before anything is committed, as its tenant's records may have moved on.
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure { return fail(failure, isInDoubt: false) }
        guard exchange.results[number].count > 0 else {
            rollBack()
            return .overtaken
        }
        return commit(Script()) {
            context.cache.insert(after, at: write.address)
            complete(.success(after.snapshot))
            context.commits.ring(write.address, after.snapshot.state.revision)
            context.tell(write.address, after.snapshot.state.revision)
        }
    }

    private func commit(_ rest: Script, _ succeed: () -> Void) -> Outcome {
        var script = rest
        script.add(Statements.commit)
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure {
            // The server may have carried it out, unless it says that it did not and is still there.
            return fail(failure, isInDoubt: !connection.isUsable)
        }
        if exchange.hasWarning { return .inDoubt }
        succeed()
        return .done
    }

    private func fail(_ failure: PostgresError, isInDoubt: Bool) -> Outcome {
        rollBack()
        guard !isInDoubt else {
            context.health.report(failure)
            return .inDoubt
        }
        return connection.isUsable && failure.isConflict ? .overtaken : .failed(failure)
    }

    private func rollBack() {
        guard connection.isUsable else { return }
        var script = Script()
        script.add(Statements.rollback)
        _ = connection.run(script, until: deadline)
    }
}
