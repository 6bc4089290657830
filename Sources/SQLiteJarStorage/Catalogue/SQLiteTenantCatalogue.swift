// SPDX-License-Identifier: Apache-2.0

public import JarStorage
import Locks
import Synchronization
import Telemetry

/// The catalogue in a file of its own, written by a thread of its own.
///
/// `@unchecked Sendable`: (1) `jobs` and `isClosing` are read and written with `condition` held; (2) `database` and
/// `notedUses` are used by the one thread, and by `init` before and `close` after its life; (3) `thread` is used by
/// `init` and `close` only; (4) everything else is `Sendable` itself.
public final class SQLiteTenantCatalogue: TenantCatalogue, @unchecked Sendable {
    private enum Job {
        /// Changes the draft, and answers how to complete once it is known what became of it.
        case write(
            @Sendable (inout CatalogueDraft) -> @Sendable (JarStorageError?) -> Void,
            refuse: @Sendable (JarStorageError) -> Void)
        case maintain(@Sendable (Result<CatalogueDatabase, JarStorageError>) -> Void)
    }

    /// The key of the tokens' secrets.
    public let pepper: CataloguePepper
    private let path: String
    private let logger: Logger
    private let current: Locked<CatalogueState>
    private let isLimited: Atomic<Bool>
    private let condition = Condition()
    private var jobs: [Job] = []
    private var isClosing = false
    private var database: CatalogueDatabase?
    private var notedUses: [TokenID: Int64] = [:]
    private var thread: OwnThread?

    /// How often the times of last use go to disk; a token's is written when it has moved by as much.
    private static let useMilliseconds = 60_000
    private static let queueLimit = 256

    /// Opens the catalogue of a data directory that this process has taken.
    init(path: String, pepperFile: String, logger: Logger) throws(StorageOpenError) {
        self.path = path
        self.logger = logger
        do {
            let database = try CatalogueDatabase(path: path)
            let state = try Self.load(database)
            pepper = try PepperFile.read(pepperFile, mayMake: state.tokens.isEmpty)
            self.database = database
            current = Locked(state)
            isLimited = Atomic(state.hasLimits)
        } catch {
            throw error.openError(error.concernsPepper ? pepperFile : path)
        }
        do {
            thread = try OwnThread { [self] in work() }
        } catch {
            throw .thread(errno: error.errno)
        }
    }

    private static func load(_ database: CatalogueDatabase) throws(CatalogueError) -> CatalogueState
    {
        do {
            return try database.load()
        } catch {
            throw .engine(error)
        }
    }

    /// Everything, as of the newest commit.
    public var state: CatalogueState { current.withLock { $0 } }

    /// True: the data directory is this process's.
    public var isExclusive: Bool { true }

    /// Whether any tenant has limits.
    public var hasLimits: Bool { isLimited.load(ordering: .relaxed) }

    /// Runs the operation on the catalogue's thread, in one transaction with what has queued by then.
    public func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void
    ) {
        enqueue(
            .write(
                { draft in
                    let answer = operation(&draft)
                    return { completion($0.map { .failure($0) } ?? .success(answer)) }
                }, refuse: { completion(.failure($0)) }))
    }

    /// Makes a durable copy of the catalogue in a file that is not there.
    ///
    /// Waits for the catalogue's thread.
    func copy(to path: String) throws(JarStorageError) {
        try TenantCopier.files { () throws(FileError) in
            _ = try FileSystem.open(path, exclusively: true)
        }
        try maintain { (database) throws(SQLiteError) in try database.copy(to: path) }
        try TenantCopier.files { () throws(FileError) in try FileSystem.synchronize(path) }
    }

    /// Whether the structure of its file is sound.
    ///
    /// Waits for the catalogue's thread.
    func isSound() throws(JarStorageError) -> Bool {
        try maintain { (database) throws(SQLiteError) in try database.isSound() }
    }

    private func maintain<Value: Sendable>(
        _ body: @escaping @Sendable (CatalogueDatabase) throws(SQLiteError) -> Value
    ) throws(JarStorageError) -> Value {
        let slot = Slot<Result<Value, JarStorageError>>()
        enqueue(
            .maintain { database in
                slot.fill(
                    database.flatMap { database in
                        do throws(SQLiteError) {
                            return .success(try body(database))
                        } catch {
                            return .failure(error.storageError)
                        }
                    })
            })
        return try slot.wait().get()
    }

    /// Finishes what has queued, notes the last uses and closes the file.
    ///
    /// Nothing after the first time.
    public func close() {
        condition.withLock {
            isClosing = true
            condition.signal()
        }
        thread?.join()
        thread = nil
        try? database?.close()
        database = nil
    }

    private func enqueue(_ job: Job) {
        let refusal: JarStorageError? = condition.withLock {
            if isClosing { return .unavailable }
            if jobs.count >= Self.queueLimit { return .busy }
            jobs.append(job)
            condition.signal()
            return nil
        }
        guard let refusal else { return }
        switch job {
        case .write(_, let refuse): refuse(refusal)
        case .maintain(let body): body(.failure(refusal))
        }
    }

    // Everything below runs on the catalogue's thread.

    private func work() {
        while true {
            let deadline = MonotonicTime.now.adding(milliseconds: Self.useMilliseconds)
            let (jobs, isClosing) = condition.withLock {
                while self.jobs.isEmpty, !self.isClosing, MonotonicTime.now < deadline {
                    condition.wait(until: deadline)
                }
                defer { self.jobs = [] }
                return (self.jobs, self.isClosing)
            }
            run(jobs)
            if jobs.isEmpty || isClosing { noteUses(all: isClosing) }
            if isClosing { return }
        }
    }

    private func run(_ jobs: [Job]) {
        let database = jobs.isEmpty ? nil : openDatabase()
        var draft = CatalogueDraft(state)
        var completions: [@Sendable (JarStorageError?) -> Void] = []
        for job in jobs {
            switch (job, database) {
            case (.write(_, let refuse), .failure(let error)): refuse(error)
            case (.write(let operation, _), _): completions.append(operation(&draft))
            case (.maintain(let body), let database): body(database ?? .failure(.unavailable))
            }
        }
        let failure = draft.changes.isEmpty ? nil : commit(draft)
        for completion in completions { completion(failure) }
    }

    private func commit(_ draft: CatalogueDraft) -> JarStorageError? {
        guard let database else { return .unavailable }
        do throws(TransactionError) {
            try database.commit(draft.changes)
        } catch {
            fail(error, "commit")
            return error.isInDoubt ? .inDoubt : error.cause.storageError
        }
        publish(draft.state)
        return nil
    }

    /// The open file.
    ///
    /// One that failed is opened anew, and what it holds is taken for what was committed.
    private func openDatabase() -> Result<CatalogueDatabase, JarStorageError> {
        if let database { return .success(database) }
        do {
            let opened = try CatalogueDatabase(path: path)
            try opened.renewLog()
            publish(try opened.load())
            notedUses = [:]
            database = opened
            return .success(opened)
        } catch let error as SQLiteError {
            return .failure(error.storageError)
        } catch {
            return .failure(.unavailable)
        }
    }

    private func publish(_ state: CatalogueState) {
        current.withLock { $0 = state }
        isLimited.store(state.hasLimits, ordering: .relaxed)
    }

    private func fail(_ error: TransactionError, _ operation: String) {
        logger.log(
            .error, "use the catalogue of tenants and tokens",
            ["operation": .text(operation), "error": .text(error.cause.description)])
        guard error.cause.isInputOutputFailure || error.cause.storageError == .corrupt else {
            return
        }
        // What a failed medium leaves in the connection is not trusted again.
        try? database?.close()
        database = nil
    }

    /// Writes the times of last use that have moved by a minute, or all that have moved.
    private func noteUses(all: Bool) {
        guard let database else { return }
        let step: Int64 = all ? 1 : Int64(Self.useMilliseconds)
        let moved = state.tokens.compactMap { entry -> (id: TokenID, lastUse: Int64)? in
            let (id, lastUse) = (entry.record.id, entry.use.lastUse.load(ordering: .relaxed))
            return lastUse >= notedUses[id, default: 0] + step ? (id, lastUse) : nil
        }
        guard !moved.isEmpty else { return }
        do throws(TransactionError) {
            try database.noteUses(moved)
            for use in moved { notedUses[use.id] = use.lastUse }
        } catch {
            fail(error, "note uses")
        }
    }
}
