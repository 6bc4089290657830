// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// One round of a tenant's writer: everything that had queued is applied in order, what it changed is committed with
/// one sync, the new snapshots are published, and then every call is completed.
struct WriteBatch {
    /// A jar that the round has touched.
    private struct WorkingJar {
        let number: Int64?
        let base: JarSnapshot
        var snapshot: JarSnapshot
        var changes: [Change] = []

        init(number: Int64?, base: JarSnapshot) {
            self.number = number
            self.base = base
            snapshot = base
        }
    }

    /// A call that waits for the commit.
    private enum Pending {
        case write(JarSnapshot, Job.Completion<JarSnapshot>, isDirty: Bool)
        case read(JarID, Job.Completion<JarSnapshot>)
        case list(after: JarID?, limit: Int, Job.Completion<[JarSummary]>)
        case refused(Job, JarStorageError)
    }

    private let writer: TenantWriter
    private var jars: [JarID: WorkingJar] = [:]
    private var pending: [Pending] = []

    private init(_ writer: TenantWriter) { self.writer = writer }

    /// Does the jobs and completes their calls in their order.
    static func run(_ jobs: [Job], on writer: TenantWriter) {
        var batch = WriteBatch(writer)
        batch.pending.reserveCapacity(jobs.count)
        for job in jobs { batch.apply(job) }
        let failure = batch.commit()
        batch.complete(failure)
    }

    private mutating func apply(_ job: Job) {
        do {
            switch job {
            case .write(let jar, let operation, _):
                try writer.prepareToWrite()
                try load(jar)
                pending.append(apply(operation, to: jar))
            case .read(let jar, let completion):
                try load(jar)
                pending.append(.read(jar, completion))
            case .list(let after, let limit, let completion):
                pending.append(.list(after: after, limit: limit, completion))
            case .copy(let path, let completion):
                try writer.startCopy(to: path, completion)
            }
        } catch {
            pending.append(.refused(job, error))
        }
    }

    private mutating func apply(_ operation: Job.Operation, to jar: JarID) -> Pending {
        guard var working = jars.removeValue(forKey: jar) else {
            preconditionFailure("the jar has been loaded")
        }
        var draft = JarDraft(working.snapshot.state)
        let completion = operation(&draft)
        if !draft.changes.isEmpty {
            working.snapshot = JarSnapshot(draft.state)
            working.changes += draft.changes
        }
        jars[jar] = working
        return .write(working.snapshot, completion, isDirty: !working.changes.isEmpty)
    }

    /// Sees to it that the jar is at hand: from this round, from the cache, or from disk.
    private mutating func load(_ jar: JarID) throws(JarStorageError) {
        guard jars[jar] == nil else { return }
        let address = JarAddress(tenant: writer.tenant, jar: jar)
        let database = try writer.openDatabase()
        do {
            if let cached = writer.context.cache.find(address) {
                jars[jar] = WorkingJar(
                    number: try database?.number(of: jar), base: cached)
                return
            }
            let loaded = try database?.load(jar) ?? LoadedJar(number: nil, state: .empty)
            let snapshot = JarSnapshot(loaded.state)
            writer.context.cache.insert(snapshot, at: address)
            jars[jar] = WorkingJar(number: loaded.number, base: snapshot)
        } catch {
            writer.fail(error, "load")
            throw error.storageError
        }
    }

    /// Commits and publishes what has changed; answers what went wrong.
    private func commit() -> JarStorageError? {
        let changed = jars.filter { !$0.value.changes.isEmpty }
        guard !changed.isEmpty else { return nil }
        do {
            try writer.commit(
                changed.map { jar, working in
                    JarCommit(
                        jar: jar, number: working.number, changes: working.changes,
                        isPresent: working.snapshot.state.isPresent)
                })
        } catch {
            return error
        }
        return nil
    }

    private func complete(_ failure: JarStorageError?) {
        if failure == nil { publish() }
        for call in pending {
            switch call {
            case .write(let snapshot, let completion, let isDirty):
                if isDirty, let failure {
                    completion(.failure(failure))
                } else {
                    completion(.success(snapshot))
                }
            case .read(let jar, let completion):
                let working = jars[jar]
                completion(
                    .success((failure == nil ? working?.snapshot : working?.base) ?? .empty))
            case .list(let after, let limit, let completion):
                completion(list(after: after, limit: limit))
            case .refused(let job, let error):
                job.refuse(error)
            }
        }
    }

    /// Lets every reader see what has been committed.
    private func publish() {
        for (jar, working) in jars where !working.changes.isEmpty {
            writer.context.cache.insert(
                working.snapshot, at: JarAddress(tenant: writer.tenant, jar: jar))
        }
    }

    private func list(after: JarID?, limit: Int) -> Result<[JarSummary], JarStorageError> {
        let database: TenantDatabase?
        do {
            database = try writer.openDatabase()
        } catch {
            return .failure(error)
        }
        do {
            return .success(try database?.list(after: after, limit: max(0, limit)) ?? [])
        } catch {
            writer.fail(error, "list")
            return .failure(error.storageError)
        }
    }
}
