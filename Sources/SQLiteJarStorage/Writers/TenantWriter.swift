// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Telemetry

/// What a writer shares with all others.
struct WriterContext: Sendable {
    let cache: SnapshotCache
    let tenants: TenantCache
    let onUnfinishedRules: @Sendable (TenantID) -> Void
    let faults: FaultRegister
    let sealing: DirectorySealing
    let ballast: Ballast
    let logger: Logger
    let configuration: SQLiteJarStorageConfiguration
    let commits: CommitWatchers
    let tally = StorageTally()
}

/// Does the work of one tenant: opens its files when they are needed, and commits what has queued.
///
/// Not `Sendable`: the pool lets one thread at a time at it.
final class TenantWriter {
    let tenant: TenantID
    let context: WriterContext
    let folder: TenantFolder
    private var database: TenantDatabase?
    /// A fault that only a restart can mend.
    private var lastingFault: JarStorageError?
    /// After a failure of the medium: nothing may be committed before the log has been renewed.
    private var mustRenewLog = false
    /// Up to which jar the sweep has come.
    private var sweptJar: Int64 = 0
    /// Whether this sweep writes when cookies were last used, and when one does next.
    private var accesses = (areSwept: false, due: MonotonicTime.now)
    /// The copy that is being made, a few pages after each round.
    private var copy: TenantCopy?
    private var hasReportedIntegrity = false
    /// The jars that a failed commit may have changed all the same.
    private var doubtfulJars: Set<JarID> = []

    init(tenant: TenantID, folder: TenantFolder, context: WriterContext) {
        self.tenant = tenant
        self.folder = folder
        self.context = context
    }

    /// Whether its files are open.
    var isOpen: Bool { database != nil }

    /// Whether it knows something that must not be forgotten when it has nothing to do.
    var isWorthKeeping: Bool { isOpen || mustRenewLog || lastingFault != nil }

    /// How many changes it has written.
    private(set) var writtenCount = 0
    /// How many changes are not folded.
    var unfoldedCount: Int { database?.unfoldedCount ?? 0 }

    /// The tenant's database; nil when the tenant has none yet.
    func openDatabase() throws(JarStorageError) -> TenantDatabase? {
        if let database { return database }
        if let lastingFault { throw lastingFault }
        guard FileSystem.exists(folder.path) else { return nil }
        do {
            let opened = try TenantDatabase.open(folder, context.sealing)
            database = opened
            if !mustRenewLog { context.faults.clear(tenant) }
            if opened.records.syncRules.contains(where: \.isUnfinished) {
                context.onUnfinishedRules(tenant)
            }
            return opened
        } catch {
            let meaning = error.storageError
            report(meaning, Self.describe(error))
            if meaning == .corrupt { lastingFault = meaning }
            throw meaning
        }
    }

    /// Brings the tenant's keys up to the directory's, or begins a new one when it is time.
    func updateKeys(
        of database: TenantDatabase, at now: Timestamp = .wallClock
    ) throws(JarStorageError) {
        do {
            try database.updateKeys(now)
        } catch {
            fail(error.cause, "write keys")
            throw error.cause.storageError
        }
    }

    /// Sees to it that the next commit can be trusted.
    ///
    /// Called before anything is loaded for a write.
    func prepareToWrite() throws(JarStorageError) {
        guard mustRenewLog, let database = try openDatabase() else { return }
        do {
            try database.renewLog()
        } catch {
            fail(error, "renew log")
            throw error.storageError
        }
        for jar in doubtfulJars {
            context.cache.remove(JarAddress(tenant: tenant, jar: jar))
        }
        doubtfulJars = []
        context.tenants.remove(tenant)
        mustRenewLog = false
    }

    /// Commits, making the tenant's files first if there are none.
    ///
    /// - Returns: The numbers that jars got whose first change this was.
    func commit(
        _ commits: [JarCommit], _ records: TenantCommit?
    ) throws(JarStorageError) -> [NewJarNumber] {
        // A jar that could not be loaded after these may have shown the failure.
        try prepareToWrite()
        if try openDatabase() == nil { try createFiles() }
        guard let database = try openDatabase() else { throw .unavailable }
        if database.sealing.isBehind { try updateKeys(of: database) }
        let names: [NewJarNumber]
        do {
            names = try database.commit(commits, records)
            writtenCount &+= commits.reduce(0) { $0 &+ $1.changes.count }
        } catch {
            fail(error.cause, "commit", doubtful: commits.map(\.jar))
            throw error.isInDoubt ? .inDoubt : error.cause.storageError
        }
        context.faults.clear(tenant)
        do {
            try database.raiseHighWaterMark()
        } catch {
            // The mark may lag; what it costs is only that a loss up to here would not be noticed.
            context.logger.log(
                .warning, "raise high-water mark",
                ["tenant": .text(tenant.description), "errno": .number(Int(error.code))])
        }
        return names
    }

    /// Folds some of the log, for no longer than a commit may wait; false when nothing came of it.
    func fold() -> Bool {
        // What room is left is for deletions.
        guard let database, !mustRenewLog, context.ballast.isHeld else { return false }
        do {
            let configuration = context.configuration
            return try database.fold(
                limit: configuration.foldChunk, octets: configuration.foldOctets
            ) { [tenant, context] in
                context.cache.find(JarAddress(tenant: tenant, jar: $0))?.state
            }
        } catch {
            fail(error.cause, "fold")
            return false
        }
    }

    /// Closes the files, if they are open.
    func close() {
        guard let closing = database else { return }
        database = nil
        abandonCopy()
        do {
            try closing.close()
        } catch {
            context.logger.log(
                .error, "close database",
                ["tenant": .text(tenant.description), "error": .text(error.description)])
        }
    }

    /// Deletes the tenant's files, and with them every fault that they had.
    ///
    /// The folder is moved away first: what is left of it after a crash is no tenant any more, and goes when the
    /// directory is taken.
    func deleteFiles() -> Result<Void, JarStorageError> {
        close()
        context.cache.removeAll(of: tenant)
        context.tenants.remove(tenant)
        do {
            if FileSystem.exists(folder.path) {
                try FileSystem.removeDirectory(folder.grave.path)
                try FileSystem.move(folder.path, to: folder.grave.path)
                try FileSystem.synchronize(folder.parent)
                try FileSystem.removeDirectory(folder.grave.path)
            }
        } catch {
            report(error.storageError, "delete: errno \(error.code)")
            return .failure(error.storageError)
        }
        lastingFault = nil
        mustRenewLog = false
        doubtfulJars = []
        sweptJar = 0
        context.faults.clear(tenant)
        return .success(())
    }

    /// Takes a failure of the engine in: what a failed medium leaves in the connection is not trusted again.
    func fail(_ error: SQLiteError, _ operation: String, doubtful jars: [JarID] = []) {
        let meaning = error.storageError
        if error.isIntegrityFailure { return reportIntegrity(operation) }
        doubtfulJars.formUnion(jars)
        report(meaning, "\(operation): \(error.description)")
        if error.isInputOutputFailure {
            mustRenewLog = true
            close()
        } else if meaning == .corrupt {
            lastingFault = meaning
            close()
        }
    }

    /// The next jars that hold expired cookies, and whether they are the last; drops what these jars have no use for,
    /// those left out that are busy.
    func nextToSweep(
        now: Timestamp, sparing isBusy: (JarID) -> Bool
    ) throws(JarStorageError) -> (jars: [JarID], isLast: Bool) {
        guard let database = try openDatabase(), context.ballast.isHeld else { return ([], true) }
        do {
            try tidy(database, now, isBusy)
        } catch {
            fail(error.cause, "sweep")
            throw error.cause.storageError
        }
        do {
            let jars = try database.jarsWithExpiredCookies(
                above: sweptJar, count: Self.jarsPerSweep, now: now)
            sweptJar += Self.jarsPerSweep
            let isLast = sweptJar >= database.lastJar
            if isLast { sweptJar = 0 }
            return (jars, isLast)
        } catch {
            fail(error, "sweep")
            throw error.storageError
        }
    }

    /// Writes when cookies of the next jars were last used, if it is time, and drops their tombstones that are spent.
    private func tidy(
        _ database: TenantDatabase, _ now: Timestamp, _ isBusy: (JarID) -> Bool
    ) throws(TransactionError) {
        if sweptJar == 0 {
            accesses.areSwept = accesses.due <= .now
            if accesses.areSwept {
                accesses.due = .now.adding(
                    milliseconds: context.configuration.accessIntervalMilliseconds)
            }
        }
        if accesses.areSwept { try database.writeAccesses(of: try nextJars(of: database)) }
        let forgetful = try database.dropTombstones(
            above: sweptJar, count: Self.jarsPerSweep,
            before: now.adding(seconds: -Int64(context.configuration.changeRetentionSeconds)),
            limit: Self.rowsPerSweep, sparing: isBusy)
        // They are read anew; how they were used is written before.
        try database.writeAccesses(of: forgetful.compactMap(known))
        for jar in forgetful { context.cache.remove(JarAddress(tenant: tenant, jar: jar)) }
    }

    /// The jar, if it is in memory.
    private func known(_ jar: JarID) -> (jar: JarID, state: JarState)? {
        context.cache.peek(JarAddress(tenant: tenant, jar: jar)).map { (jar, $0.state) }
    }

    /// Those of the next jars that are in memory.
    private func nextJars(
        of database: TenantDatabase
    ) throws(TransactionError) -> [(jar: JarID, state: JarState)] {
        do {
            return try database.jars(above: sweptJar, count: Self.jarsPerSweep)
                .compactMap(known)
        } catch {
            throw TransactionError(cause: error, isInDoubt: false)
        }
    }

    /// Writes when cookies of these jars were last used, before the files are closed for good.
    func writeAccesses(of jars: [(jar: JarID, state: JarState)]) {
        // A tenant that cannot be opened now says so when it is opened next.
        guard !mustRenewLog, context.ballast.isHeld, let database = try? openDatabase() else {
            return
        }
        do {
            try database.writeAccesses(of: jars)
        } catch {
            fail(error.cause, "write accesses")
        }
    }

    /// Drops old changes of the log and answers that have expired, one chunk of them.
    func compact(now: Timestamp) {
        guard let database, !mustRenewLog, context.ballast.isHeld else { return }
        let configuration = context.configuration
        do {
            _ = try database.compact(
                before: now.adding(seconds: -Int64(configuration.changeRetentionSeconds)),
                keeping: Int64(configuration.changeLimit), limit: Self.rowsPerSweep)
            try database.dropAnswers(expiredAt: now, limit: Self.rowsPerSweep)
        } catch {
            fail(error.cause, "compact")
        }
    }

    private static let jarsPerSweep: Int64 = 500
    /// How many rows of the log, and how many answers, are dropped at a time.
    private static let rowsPerSweep: Int64 = 4096

    /// Whether a copy of its database is being made.
    var isCopying: Bool { copy != nil }

    /// Begins a copy of the database.
    func startCopy(
        to path: String, _ completion: @escaping Job.Completion<Int64>
    ) throws(JarStorageError) {
        guard copy == nil else { throw .busy }
        guard let database = try openDatabase() else { throw .unavailable }
        do {
            copy = try TenantCopy(of: database, to: path, completion)
        } catch {
            throw error.storageError
        }
    }

    /// Copies some more pages, if there is a copy to be made.
    func continueCopy() {
        guard let copy, let database else { return }
        if copy.goOn(database) { self.copy = nil }
    }

    /// Leaves the copy unfinished, if there is one.
    func abandonCopy() {
        copy?.abandon()
        copy = nil
    }

    /// A jar whose values do not open is refused; the tenant is well but for it, so that this is said once, not each
    /// time that the jar is asked for.
    private func reportIntegrity(_ operation: String) {
        guard !hasReportedIntegrity else { return }
        hasReportedIntegrity = true
        context.logger.log(
            .error, "a value is not what was stored; verify the data",
            ["tenant": .text(tenant.description), "operation": .text(operation)])
    }

    private func createFiles() throws(JarStorageError) {
        do {
            try TenantDatabase.create(folder)
        } catch {
            report(error.storageError, "create: \(Self.describe(error))")
            throw error.storageError
        }
    }

    private func report(_ meaning: JarStorageError, _ detail: String) {
        guard context.faults.set(meaning, for: tenant) else { return }
        context.logger.log(
            .error, "tenant cannot be used",
            ["tenant": .text(tenant.description), "error": .text(detail)])
    }

    private static func describe(_ error: TenantOpenError) -> String {
        switch error {
        case .engine(let error): error.description
        case .file(let error): "\(error.operation): errno \(error.code)"
        case .notADatabase: "not a database of cookiesync"
        case .tooNew(let version):
            "schema version \(version) is newer than \(Migrations.currentVersion)"
        case .behind(let database, let acknowledged):
            "acknowledged changes are missing: the database ends at \(database), "
                + "\(acknowledged) were acknowledged, \(acknowledged - database) are lost"
        case .sealed(.unexpected): "its values are sealed, those of the data directory are not"
        case .sealed(.absent): "its values are not sealed, those of the data directory are"
        case .sealed(.keys(let error)): "its keys: \(error)"
        }
    }
}
