// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JarStorage
import Locks
public import Telemetry

/// Jars in PostgreSQL, for many nodes at once: nothing is held here that the database does not confirm.
///
/// Calls wait for lanes, threads with a connection each; what has queued when a lane is free shares its round trips and
/// its commit. A write is one statement that does nothing unless its jar is at the revision that the operation started
/// from, so writers of several nodes cannot lose each other's changes.
public final class PostgresJarStorage: JarStorage {
    /// Who is woken by the commits of which jar, of this node and of others.
    public let commits = CommitWatchers()
    /// The tenants and tokens, in the same database.
    public let catalogue: PostgresTenantCatalogue
    let reads: JobQueue
    let writes: JobQueue
    let cache: KnownStates
    private let engine: EngineHealth
    private let janitor: Janitor
    private let follower: Follower
    private let sweeper: Sweeper
    private let watch: CatalogueWatch
    private let threads: [OwnThread]

    /// Finds the database and starts the lanes.
    ///
    /// - Parameters:
    ///   - configuration: where the database is, and every limit.
    ///   - logger: where its faults are told.
    /// - Throws: `DatabaseOpenError` when it cannot be reached, or its schema is not of this version.
    public init(
        configuration: PostgresJarStorageConfiguration, logger: Logger
    ) throws(DatabaseOpenError) {
        let engine = EngineHealth(logger: logger)
        self.engine = engine
        try Schema.check(configuration.connection, logger)
        guard let bell = EventDescriptor(), let watchBell = EventDescriptor() else {
            throw .thread(errno: errno)
        }
        cache = KnownStates(limit: configuration.cacheBytes)
        let known = KnownCatalogue()
        var context = LaneContext(
            info: configuration.connection, cache: cache, catalogue: known,
            requiresTenants: configuration.requiresTenants,
            health: engine, commits: commits)
        let follower = Follower(bell: bell, context: context)
        context.tell = { follower.tell($0, $1) }
        self.follower = follower
        let janitor = Janitor { known.watchTime() }
        self.janitor = janitor
        context.later = { janitor.call(after: $0, $1) }
        let readers = try Lanes(
            count: configuration.readConnections, limit: configuration.queueLimit, context)
        let writers = try Lanes(
            count: configuration.writeConnections, limit: configuration.queueLimit, context)
        reads = readers.queue
        writes = writers.queue
        janitor.watch([readers.queue, writers.queue])
        catalogue = PostgresTenantCatalogue(
            known, pepper: configuration.pepper,
            reading: { [reads = readers.queue] in Self.enqueue($0, in: reads, janitor) },
            writing: { [writes = writers.queue] in Self.enqueue($0, in: writes, janitor) })
        let watch = CatalogueWatch(known, configuration.connection, engine, bell: watchBell) {
            [catalogue] in catalogue.read { _ in }
        }
        self.watch = watch
        let sweeper = Sweeper(configuration, logger: logger) { [writes = writers.queue] kind in
            Self.enqueue(kind, in: writes, janitor)
        }
        self.sweeper = sweeper
        var bodies: [@Sendable () -> Void] = [{ janitor.work() }]
        for lane in readers.lanes + writers.lanes { bodies.append { lane.work() } }
        bodies += [{ follower.work() }, { sweeper.work() }, { watch.work() }]
        var threads: [OwnThread] = []
        do {
            for body in bodies { threads.append(try OwnThread(body)) }
        } catch {
            sweeper.close()
            watch.close()
            Self.end(janitor, follower, [readers.queue, writers.queue], threads)
            throw .thread(errno: error.errno)
        }
        self.threads = threads
        // So that the first callers' tokens are not refused for no reason.
        let slot = Slot<Void>()
        catalogue.read { _ in slot.fill(()) }
        slot.wait()
    }

    /// Always nil: whether a jar is current only the database knows.
    public func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        nil
    }

    /// Hands the jar over as it is now; what is in memory serves once the database has confirmed it.
    public func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        enqueue(.read(address, completion), in: reads)
    }

    /// Runs the operation, again if another node was faster, and commits its changes with what has queued by then.
    public func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        enqueue(.write(address, operation, refuse: refuse), in: writes)
    }

    /// Runs the operation as `write` does, unless there is an answer for the key.
    public func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void
    ) {
        let kind = Job.Kind.writeOnce(
            address, key,
            { draft in
                switch operation(&draft) {
                case .success(let body):
                    return (body, { completion($0.map { _ in .answered(body) }) })
                case .failure(let refusal):
                    return (nil, { completion($0.map { _ in .refused(refusal) }) })
                }
            },
            replay: { completion($0.map { .answered($0) }) })
        enqueue(kind, in: writes)
    }

    /// One page of the tenant's jars.
    public func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        let request = Request(Statements.list, of: tenant) { parameters in
            parameters.octets(tenant.bytes)
            parameters.octets(after?.bytes ?? [])
            parameters.integer(Int64(max(0, limit)))
        }
        query(request, completion) { (rows) throws(PostgresError) in
            try (0..<rows.count).map { (row) throws(PostgresError) in
                guard let jar = JarID(rows.octets(row, 0)) else { throw .undecodable("a jar") }
                return JarSummary(jar: jar, revision: try rows.revision(row, 1))
            }
        }
    }

    /// The changes after a revision, with the jar's revision as of the same moment.
    public func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        query(.changes(of: address, since: since, limit: limit), completion) {
            (rows) throws(PostgresError) in
            try ChangePage(rows)
        }
    }

    /// Always nil: whether the records are current only the database knows.
    public func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? { nil }

    /// Hands the tenant's records over as they are now.
    public func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        enqueue(.readTenant(tenant, completion), in: reads)
    }

    /// Runs the operation, again if another node was faster, before any write to the tenant's jars that comes later.
    public func writeTenant<Answer: Sendable>(
        _ tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        let kind = Job.Kind.writeTenant(
            tenant,
            { draft in
                let answer = operation(&draft)
                return { result in
                    completion(result.map { CommittedTenant(answer: answer, state: $0) })
                }
            },
            refuse: { completion(.failure($0)) })
        enqueue(kind, in: writes)
    }

    /// Tells of them as the sweep comes to their tenants, on whichever node it does.
    public func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {
        sweeper.unfinishedRules.withLock { $0 = observer }
    }

    /// What the tenant's rows take.
    public func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        let request = Request(Statements.usage, of: tenant) { parameters in
            parameters.octets(tenant.bytes)
        }
        query(request, completion) { (rows) throws(PostgresError) in
            guard rows.count > 0, !rows.isNull(0, 0) else { return nil }
            return TenantUsage(
                jars: Int(try rows.integer(0, 0)), bytes: Int(try rows.integer(0, 1)))
        }
    }

    /// Deletes the tenant's rows in one statement, and in a second one what writes that were under way have left.
    public func deleteTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        let request = Request(Statements.deleteTenant, of: tenant) { parameters in
            parameters.octets(tenant.bytes)
        }
        let last = Job.Kind.query(request) { completion($0.map { _ in () }) }
        let first = Job.Kind.query(request) { [writes, janitor] result in
            switch result {
            case .success: Self.enqueue(last, in: writes, janitor)
            case .failure(let error): completion(.failure(error))
            }
        }
        enqueue(first, in: writes)
    }

    /// Whether the database can be reached and takes writes, as the lanes found.
    public func health() -> [StorageFault] {
        let isConnected = reads.isConnected && writes.isConnected
        let fault = engine.fault
        if isConnected, fault != "read-only", fault != "storage-full" { return [] }
        return [StorageFault(code: fault ?? "storage-unreachable", tenant: nil)]
    }

    /// Finishes what has queued and closes the connections.
    ///
    /// Not to be called by a completion.
    public func close() {
        sweeper.close()
        watch.close()
        Self.end(janitor, follower, [reads, writes], threads)
    }

    private static func end(
        _ janitor: Janitor, _ follower: Follower, _ queues: [JobQueue], _ threads: [OwnThread]
    ) {
        follower.close()
        for queue in queues { queue.close() }
        for thread in threads.dropFirst() { thread.join() }
        janitor.close()
        threads.first?.join()
    }

    private func query<Value: Sendable>(
        _ request: Request,
        _ completion: @escaping @Sendable (Result<Value, JarStorageError>) -> Void,
        _ decode: @escaping @Sendable (QueryResult) throws(PostgresError) -> Value
    ) {
        let kind = Job.Kind.query(request) { [engine] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let rows):
                do throws(PostgresError) {
                    completion(.success(try decode(rows)))
                } catch {
                    engine.report(error)
                    completion(.failure(error.storageError))
                }
            }
        }
        enqueue(kind, in: reads)
    }

    private func enqueue(_ kind: Job.Kind, in queue: JobQueue) {
        Self.enqueue(kind, in: queue, janitor)
    }

    private static func enqueue(_ kind: Job.Kind, in queue: JobQueue, _ janitor: Janitor) {
        let job = Job(kind)
        switch queue.enqueue(job) {
        case nil: break
        case .unavailable?: job.refuse(.unavailable)
        case let error?: janitor.refuse(job, error)
        }
    }
}

extension Request {
    static func changes(of address: JarAddress, since: Revision, limit: Int) -> Request {
        Request(Statements.changes, of: address.tenant) { parameters in
            parameters.octets(address.tenant.bytes)
            parameters.octets(address.jar.bytes)
            parameters.integer(Int64(clamping: since.rawValue))
            parameters.integer(Int64(max(0, limit)))
        }
    }
}

extension ChangePage {
    /// The page in the rows of the statement `changes`.
    init(_ rows: QueryResult) throws(PostgresError) {
        guard rows.count > 0 else {
            self = .empty
            return
        }
        var changes: [Change] = []
        for row in 0..<rows.count where !rows.isNull(row, 2) {
            changes.append(try rows.change(row, revisionColumn: 2, from: 3))
        }
        self.init(
            changes: changes, floor: try rows.revision(0, 1), newest: try rows.revision(0, 0))
    }
}

extension QueryResult {
    func revision(_ row: Int, _ column: Int) throws(PostgresError) -> Revision {
        Revision(rawValue: UInt64(bitPattern: try integer(row, column)))
    }
}

/// The lanes of one kind with their queue.
private struct Lanes {
    let queue: JobQueue
    let lanes: [Lane]

    init(count: Int, limit: Int, _ context: LaneContext) throws(DatabaseOpenError) {
        var bells: [EventDescriptor] = []
        for _ in 0..<max(1, count) {
            guard let bell = EventDescriptor() else { throw .thread(errno: errno) }
            bells.append(bell)
        }
        let queue = JobQueue(bells: bells, limit: limit)
        self.queue = queue
        lanes = bells.enumerated().map {
            Lane($0.offset, queue: queue, bell: $0.element, context: context)
        }
    }
}
