// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks

/// One round of a tenant's writer: everything that had queued is applied in order, what it changed is committed with
/// one sync, the new snapshots are published, and then every call is completed.
struct WriteBatch {
    /// A call that waits for the commit.
    private enum Pending {
        case write(Int, JarSnapshot, JarCompletion, isDirty: Bool)
        /// The answer of an earlier write; of a jar of this round, or from disk.
        case replay(Int?, Result<[UInt8], JarStorageError>, Job.Completion<[UInt8]>)
        case read(Int, JarCompletion)
        case writeTenant(TenantState, Job.Completion<TenantState>, isDirty: Bool)
        case readTenant(Job.Completion<TenantState>)
        case list(after: JarID?, limit: Int, Job.Completion<[JarSummary]>)
        case changes(JarID, since: Revision, limit: Int, Job.Completion<ChangePage>)
        case usage(Job.Completion<TenantUsage?>)
        case swept(SweepStep, Job.Completion<SweepStep>)
        case resealed(ResealStep, Job.Completion<ResealStep>)
        case refused(Job, JarStorageError)
    }

    private let writer: TenantWriter
    /// The jars in the order in which they were touched; everything else names one by its place here.
    private var jars: [WorkingJar] = []
    private var places: JarPlaces
    private var records: WorkingRecords?
    /// The answers of this round by their keys, and the jars they belong to.
    private var answers: [[UInt8]: (jar: Int, kept: KeptAnswer)] = [:]
    private var pending: [Pending] = []

    private init(_ writer: TenantWriter, capacity: Int) {
        self.writer = writer
        places = JarPlaces(capacity: capacity)
        jars.reserveCapacity(capacity)
        pending.reserveCapacity(capacity)
    }

    /// Does jobs of which none is a deletion, in one transaction.
    static func runTogether(_ jobs: ArraySlice<Job>, on writer: TenantWriter) {
        guard !jobs.isEmpty else { return }
        var batch = WriteBatch(writer, capacity: jobs.count)
        for job in jobs { batch.apply(job) }
        batch.commit()
        batch.complete()
    }

    private mutating func apply(_ job: Job) {
        do {
            switch job {
            case .write(let jar, let operation, _):
                try writer.prepareToWrite()
                let place = try load(jar)
                let tenant = try currentRecords()
                pending.append(apply(operation, to: place, of: tenant))
            case .writeOnce(let jar, let key, let operation, let replay):
                try writer.prepareToWrite()
                if let kept = try kept(for: key, replay) {
                    pending.append(kept)
                } else {
                    pending.append(try applyOnce(operation, key, to: jar))
                }
            case .read(let jar, let completion):
                pending.append(.read(try load(jar), completion))
            case .writeTenant(let operation, _):
                try writer.prepareToWrite()
                pending.append(apply(operation, to: try loadRecords()))
            case .readTenant(let completion):
                _ = try loadRecords()
                pending.append(.readTenant(completion))
            case .list(let after, let limit, let completion):
                pending.append(.list(after: after, limit: limit, completion))
            case .changes(let jar, let since, let limit, let completion):
                pending.append(.changes(jar, since: since, limit: limit, completion))
            case .usage(let completion): pending.append(.usage(completion))
            case .delete: preconditionFailure("a deletion is a round of its own")
            case .copy(let path, let completion):
                try writer.startCopy(to: path, completion)
            case .sweep(let now, let limit, let completion):
                let step = try sweep(now, limit)
                writer.compact(now: now)
                try writer.tendKeys(now)
                pending.append(.swept(step, completion))
            case .reseal(let completion):
                try writer.prepareToWrite()
                pending.append(.resealed(try writer.reseal(), completion))
            }
        } catch {
            pending.append(.refused(job, error))
        }
    }

    private mutating func apply(
        _ operation: (inout JarDraft) -> JarCompletion, to place: Int, of tenant: TenantState
    ) -> Pending {
        var draft = JarDraft(jars[place].snapshot.state, tenant: tenant)
        let completion = operation(&draft)
        jars[place].take(draft)
        return .write(
            place, jars[place].snapshot, completion, isDirty: jars[place].isDirty)
    }

    private func kept(
        for key: WriteKey, _ replay: @escaping Job.Completion<[UInt8]>
    ) throws(JarStorageError) -> Pending? {
        if let (jar, kept) = answers[key.key] { return .replay(jar, kept.result(for: key), replay) }
        guard let database = try writer.openDatabase() else { return nil }
        do {
            return try database.answer(for: key).map { .replay(nil, $0.result(for: key), replay) }
        } catch {
            writer.fail(error, "read answer")
            throw error.storageError
        }
    }

    private mutating func applyOnce(
        _ operation: Job.OnceOperation, _ key: WriteKey, to jar: JarID
    ) throws(JarStorageError) -> Pending {
        let place = try load(jar)
        var body: [UInt8]?
        let pending = apply(
            { draft in
                let (kept, complete) = operation(&draft)
                body = kept
                return complete
            }, to: place, of: try currentRecords())
        guard let body, case .write(_, let snapshot, let completion, _) = pending else {
            return pending
        }
        jars[place].answers.append(AnswerRow(key: key, body: body))
        answers[key.key] = (place, KeptAnswer(fingerprint: key.fingerprint, body: body))
        return .write(place, snapshot, completion, isDirty: true)
    }

    private mutating func apply(
        _ operation: Job.TenantOperation, to records: WorkingRecords
    ) -> Pending {
        var working = records
        var draft = TenantDraft(working.state)
        let completion = operation(&draft)
        working.state = draft.state
        working.changes += draft.changes
        self.records = working
        return .writeTenant(working.state, completion, isDirty: !working.changes.isEmpty)
    }

    /// Removes what has expired in the jars that are next.
    private mutating func sweep(_ now: Timestamp, _ limit: Int) throws(JarStorageError) -> SweepStep
    {
        try writer.prepareToWrite()
        let next = try writer.nextToSweep(now: now) { place(of: $0) != nil }
        var removed = 0
        for jar in next.jars where removed < limit {
            let place = try load(jar)
            let rest = limit - removed
            let count = Locked(0)
            _ = apply(
                { draft in
                    for store in draft.state.stores.keys.sorted() {
                        count.withLock {
                            $0 += draft.removeExpired(in: store, limit: rest - $0, now: now)
                        }
                    }
                    return { _ in }
                }, to: place, of: .empty)
            removed += count.withLock { $0 }
        }
        return SweepStep(removed: removed, isLast: next.isLast)
    }

    /// The records that an operation on a jar finds.
    private func currentRecords() throws(JarStorageError) -> TenantState {
        if let records { return records.state }
        return try writer.openDatabase()?.records ?? .empty
    }

    /// Sees to it that the records are at hand, and can be found in memory from now on.
    private mutating func loadRecords() throws(JarStorageError) -> WorkingRecords {
        if let records { return records }
        let state = try currentRecords()
        writer.context.tenants.insert(state, of: writer.tenant)
        let working = WorkingRecords(state)
        records = working
        return working
    }

    /// Sees to it that the jar is at hand, from this round, from the cache, or from disk; answers its place.
    private mutating func load(_ jar: JarID) throws(JarStorageError) -> Int {
        if let place = place(of: jar) { return place }
        let address = JarAddress(tenant: writer.tenant, jar: jar)
        let database = try writer.openDatabase()
        do {
            if let cached = writer.context.cache.findNumbered(address) {
                var number = cached.number
                if number == nil { number = try database?.number(of: jar) }
                return add(WorkingJar(jar, number: number, base: cached.snapshot))
            }
            let loaded = try database?.load(jar) ?? LoadedJar(number: nil, state: .empty)
            let snapshot = JarSnapshot(loaded.state)
            writer.context.cache.insert(snapshot, number: loaded.number, at: address)
            return add(WorkingJar(jar, number: loaded.number, base: snapshot))
        } catch {
            writer.fail(error, "load")
            throw error.storageError
        }
    }

    private mutating func add(_ working: WorkingJar) -> Int {
        places.append(working.name)
        jars.append(working)
        return jars.count - 1
    }

    private func place(of jar: JarID) -> Int? { places.place(of: jar, among: jars) }

    /// Commits what has changed; what only removes has the room that is kept for it when there is no other.
    private mutating func commit() {
        let ballast = writer.context.ballast
        let changed = jars.indices.filter { jars[$0].isDirty }
        let hasRecords = records?.changes.isEmpty == false
        guard !changed.isEmpty || hasRecords else { return }
        if ballast.restore() {
            guard let failure = commit(changed) else { return }
            fail(changed, failure)
            guard failure == .full, ballast.release() else { return }
        } else {
            fail(changed, .full)
        }
        // What the jars became may rest on the records, so without them nothing is tried.
        guard records?.changes.allSatisfy(\.isRemoval) ?? true else { return }
        let removing = changed.filter { jars[$0].onlyRemoves }
        guard !removing.isEmpty || hasRecords else { return }
        let failure = commit(removing)
        for jar in removing { jars[jar].failure = failure }
        records?.failure = failure
    }

    private mutating func fail(_ changed: [Int], _ failure: JarStorageError) {
        for jar in changed { jars[jar].failure = failure }
        records?.failure = failure
    }

    private mutating func commit(_ changed: [Int]) -> JarStorageError? {
        let commits = changed.map { place in
            JarCommit(
                jar: jars[place].name, number: jars[place].number, changes: jars[place].changes,
                isPresent: jars[place].snapshot.state.isPresent, answers: jars[place].answers)
        }
        let recordCommit = records.flatMap { working in
            working.changes.isEmpty
                ? nil : TenantCommit(changes: working.changes, state: working.state)
        }
        let began = MonotonicTime.now
        var failure: JarStorageError?
        do throws(JarStorageError) {
            for new in try writer.commit(commits, recordCommit) {
                if let place = place(of: new.name) { jars[place].number = new.jar }
            }
        } catch {
            failure = error
        }
        let tally = writer.context.tally
        tally.addCommit(
            nanoseconds: began.nanosecondsToNow, writes: dirtyCount, hasFailed: failure != nil)
        if failure == nil { for commit in commits { tally.add(commit.changes) } }
        return failure
    }

    /// How many writes of this round have changed something.
    private var dirtyCount: Int {
        pending.count { call in
            switch call {
            case .write(_, _, _, isDirty: true), .writeTenant(_, _, isDirty: true): true
            default: false
            }
        }
    }

    private func complete() {
        publish()
        defer { ring() }
        for call in pending {
            switch call {
            case .write(let jar, let snapshot, let completion, let isDirty):
                if isDirty, let failure = jars[jar].failure {
                    completion(.failure(failure))
                } else {
                    completion(.success(snapshot))
                }
            case .replay(let jar, let result, let completion):
                let failure = jar.flatMap { jars[$0].failure }
                completion(failure.map { .failure($0) } ?? result)
            case .read(let jar, let completion):
                let working = jars[jar]
                completion(.success(working.failure == nil ? working.snapshot : working.base))
            case .writeTenant(let state, let completion, let isDirty):
                if isDirty, let failure = records?.failure {
                    completion(.failure(failure))
                } else {
                    completion(.success(state))
                }
            case .readTenant(let completion):
                completion(
                    .success((records?.failure == nil ? records?.state : records?.base) ?? .empty))
            case .list(let after, let limit, let completion):
                completion(
                    query("list", orElse: []) { (database) throws(SQLiteError) in
                        try database.list(after: after, limit: max(0, limit))
                    })
            case .changes(let jar, let since, let limit, let completion):
                completion(
                    query("changes", orElse: .empty) { (database) throws(SQLiteError) in
                        try database.changes(of: jar, since: since, limit: max(0, limit))
                    })
            case .usage(let completion):
                completion(
                    query("usage", orElse: nil) { (database) throws(SQLiteError) in
                        try database.usage()
                    })
            case .swept(let step, let completion): completion(.success(step))
            case .resealed(let step, let completion): completion(.success(step))
            case .refused(let job, let error):
                job.refuse(error)
            }
        }
    }

    /// Lets every reader see what has been committed.
    private func publish() {
        if let records, !records.changes.isEmpty, records.failure == nil {
            writer.context.tenants.insert(records.state, of: writer.tenant)
        }
        for place in jars.indices where jars[place].isNews {
            writer.context.cache.insert(
                jars[place].snapshot, number: jars[place].number,
                at: JarAddress(tenant: writer.tenant, jar: jars[place].name))
        }
    }

    /// Wakes those that follow what has been committed, after those that wait for it.
    private func ring() {
        for place in jars.indices where jars[place].isNews {
            writer.context.commits.ring(
                JarAddress(tenant: writer.tenant, jar: jars[place].name),
                jars[place].snapshot.state.revision)
        }
    }

    /// Asks the database, if there is one, for what has been committed.
    private func query<Value>(
        _ operation: String, orElse absent: Value,
        _ read: (TenantDatabase) throws(SQLiteError) -> Value
    ) -> Result<Value, JarStorageError> {
        let database: TenantDatabase?
        do {
            database = try writer.openDatabase()
        } catch {
            return .failure(error)
        }
        do {
            guard let database else { return .success(absent) }
            return .success(try read(database))
        } catch {
            writer.fail(error, operation)
            return .failure(error.storageError)
        }
    }
}
