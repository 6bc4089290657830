// SPDX-License-Identifier: Apache-2.0

import CSQLite
public import JarStorage
import Locks
public import Telemetry

/// Jars in SQLite: one file per tenant, commits in groups on threads of its own, reads from memory.
public final class SQLiteJarStorage: JarStorage {
    /// Who is woken by the commits of which jar.
    public let commits = CommitWatchers()
    let cache: SnapshotCache
    private let tenants: TenantCache
    private let unfinishedRules = Locked<(@Sendable (TenantID) -> Void)?>(nil)
    private let faults: FaultRegister
    let writers: WriterPool
    let maintenance = MaintenanceRunner()
    let sealing: DirectorySealing
    private let ballast: Ballast
    private let probe: DirectoryProbe
    /// The tenants that were made explicitly, and all tokens.
    public let catalogue: SQLiteTenantCatalogue
    private let sweeper: Sweeper
    let configuration: SQLiteJarStorageConfiguration

    /// The first version of SQLite in which a commit cannot lose pages to a checkpoint on another connection
    /// (the WAL-reset bug).
    ///
    /// Older ones are safe here, as one connection does both; it is worth a line all the same.
    private static let firstSoundVersion: Int32 = 3_051_003

    /// Takes the data directory, making it if it is not there, and starts the writers.
    ///
    /// - Parameters:
    ///   - configuration: where the files are, and every limit.
    ///   - logger: where faults of tenants are told.
    /// - Throws: `StorageOpenError` when another process has the directory, or it cannot be used.
    public init(
        configuration: SQLiteJarStorageConfiguration, logger: Logger
    ) throws(StorageOpenError) {
        let version = String(cString: sqlite3_libversion())
        guard sqlite3_threadsafe() != 0 else { throw .engine(version: version) }
        let isSound = sqlite3_libversion_number() >= Self.firstSoundVersion
        logger.log(
            isSound ? .info : .warning,
            isSound ? "use SQLite" : "use SQLite with the WAL-reset bug; guarded against",
            ["version": .text(version)])
        self.configuration = configuration
        cache = SnapshotCache(limit: configuration.snapshotCacheBytes)
        tenants = TenantCache(limit: configuration.snapshotCacheBytes / 16)
        faults = FaultRegister()
        let directory = DataDirectory(path: configuration.dataDirectory)
        let lock = try directory.take()
        do {
            sealing = try DirectorySealing(directory, configuration.keys)
        } catch {
            throw .keys(path: directory.path, error)
        }
        if sealing.isWaiting {
            logger.log(.warning, "the data are not encrypted; run cookiesync encrypt")
        }
        catalogue = try SQLiteTenantCatalogue(
            path: directory.cataloguePath, pepperFile: configuration.pepperFile, logger: logger)
        ballast = Ballast(path: "\(directory.path)/ballast")
        probe = DirectoryProbe(path: "\(directory.path)/probe")
        do {
            writers = try WriterPool(
                directory: directory, lock: lock,
                context: WriterContext(
                    cache: cache, tenants: tenants,
                    onUnfinishedRules: { [unfinishedRules] tenant in
                        unfinishedRules.withLock { $0 }?(tenant)
                    }, faults: faults, sealing: sealing, ballast: ballast, logger: logger,
                    configuration: configuration, commits: commits))
        } catch {
            catalogue.close()
            throw error
        }
        do {
            sweeper = try Sweeper(
                directory: directory, writers: writers,
                disk: DiskWatch(ballast: ballast, faults: faults, probe: probe), logger: logger,
                intervalMilliseconds: configuration.sweepIntervalMilliseconds)
        } catch {
            writers.close()
            catalogue.close()
            throw error
        }
    }

    /// Whether a data directory holds nothing that a key could belong to: it is not there, or has never had a tenant.
    ///
    /// - Throws: `StorageOpenError.dataDirectory` when it cannot be read.
    public static func isFresh(_ path: String) throws(StorageOpenError) -> Bool {
        let directory = DataDirectory(path: path)
        guard !FileSystem.exists("\(path)/\(KeyRegister.fileName)") else { return false }
        guard FileSystem.exists(directory.tenantsPath) else { return true }
        do {
            return try directory.tenants().isEmpty
        } catch {
            throw .dataDirectory(path: path, errno: error.code, operation: error.operation)
        }
    }

    /// The jar as of its newest commit, if it is in memory.
    ///
    /// Never waits for a writer's I/O.
    public func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        cache.read(tenant: tenant, jar: jar)
    }

    /// The same with a watch over it.
    public func watchedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot? {
        cache.watch(tenant: tenant, jar: jar)
    }

    /// Loads the jar on the tenant's writer, behind what has queued for it.
    public func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        writers.enqueue(.read(address.jar, completion), for: address.tenant)
    }

    /// Runs the operation on the tenant's writer, in one transaction and one sync with what has queued by then.
    public func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        writers.enqueue(.write(address.jar, operation, refuse: refuse), for: address.tenant)
    }

    /// Runs the operation as `write` does, unless there is an answer for the key.
    public func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void
    ) {
        let job = Job.writeOnce(
            address.jar, key,
            { draft in
                switch operation(&draft) {
                case .success(let body):
                    return (body, { completion($0.map { _ in .answered(body) }) })
                case .failure(let refusal):
                    return (nil, { completion($0.map { _ in .refused(refusal) }) })
                }
            },
            replay: { completion($0.map { .answered($0) }) })
        writers.enqueue(job, for: address.tenant)
    }

    /// One page of the tenant's jars, read on its writer.
    public func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        writers.enqueue(.list(after: after, limit: limit, completion), for: tenant)
    }

    /// The changes after a revision, read from the log on the tenant's writer.
    public func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        writers.enqueue(
            .changes(address.jar, since: since, limit: limit, completion), for: address.tenant)
    }

    /// The tenant's records as of their newest commit, if they are in memory.
    ///
    /// Never waits for a writer's I/O.
    public func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? {
        tenants.find(tenant)
    }

    /// Loads the tenant's records on its writer, behind what has queued for it.
    public func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        writers.enqueue(.readTenant(completion), for: tenant)
    }

    /// Runs the operation on the tenant's writer, in one transaction and one sync with what has queued by then.
    public func writeTenant<Answer: Sendable>(
        _ tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        let job = Job.writeTenant(
            { draft in
                let answer = operation(&draft)
                return { result in
                    completion(result.map { CommittedTenant(answer: answer, state: $0) })
                }
            },
            refuse: { completion(.failure($0)) })
        writers.enqueue(job, for: tenant)
    }

    /// Tells of them as tenants' files are opened, which the sweep does to one after the other.
    public func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {
        unfinishedRules.withLock { $0 = observer }
    }

    /// What the tenant takes, as its writer finds it.
    public func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        writers.enqueue(.usage(completion), for: tenant)
    }

    /// Deletes the tenant's files on its writer, behind what has queued for it.
    public func deleteTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        writers.enqueue(.delete(completion), for: tenant)
    }

    /// What keeps tenants from taking writes, as their last attempts showed.
    public func health() -> [StorageFault] {
        var codes = ballast.isHeld ? [] : ["storage-full"]
        if let fault = probe.fault { codes.append(FaultRegister.code(of: fault)) }
        return codes.map { StorageFault(code: $0, tenant: nil) } + faults.all
    }

    /// Finishes what has queued, closes every file and lets go of the data directory.
    ///
    /// Not to be called by a completion.
    public func close() {
        writers.close()
        sweeper.close()
        maintenance.close()
        catalogue.close()
    }
}
