// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import JarStorage

/// Why a tenant's files cannot be used.
enum TenantOpenError: Error, Hashable, Sendable {
    /// SQLite refused.
    case engine(SQLiteError)
    /// A system call outside SQLite failed.
    case file(FileError)
    /// The file is no database of ours.
    case notADatabase
    /// A newer program wrote it.
    case tooNew(Int64)
    /// Changes that were acknowledged are missing.
    case behind(database: Int64, acknowledged: Int64)
    /// Its keys cannot be had, or values that must be sealed are not.
    case sealed(SealingFault)
}

extension TenantDatabase {
    /// Opens the files in a tenant's folder, which exist.
    ///
    /// What is not ours, newer, or behind its high-water mark is left as it is.
    static func open(
        _ folder: TenantFolder, _ sealing: DirectorySealing = .off
    ) throws(TenantOpenError) -> TenantDatabase {
        try openMigrating(folder, sealing).database
    }

    /// The same; tells besides whether the database had an older version.
    static func openMigrating(
        _ folder: TenantFolder, _ sealing: DirectorySealing
    ) throws(TenantOpenError) -> (database: TenantDatabase, wasOlder: Bool) {
        try DatabaseHeader.check(folder.databasePath)
        let connection = try engine { () throws(SQLiteError) in
            let connection = try Connection(path: folder.databasePath)
            try connection.keepLogOnClose()
            try ConnectionSettings.apply(ConnectionSettings.beforeReading, to: connection)
            return connection
        }
        let wasOlder = try migrate(connection, in: folder)
        let position = try engine { () throws(SQLiteError) in
            try ConnectionSettings.apply(ConnectionSettings.beforeWriting, to: connection)
            return try logPosition(connection)
        }
        let mark = try openMark(folder.highWaterPath)
        if let acknowledged = try readMark(mark), acknowledged > position.last {
            throw .behind(database: position.last, acknowledged: acknowledged)
        }
        let (statements, tail, records) = try engine { () throws(SQLiteError) in
            (
                try TenantStatements(connection),
                try UnfoldedTail(scanning: connection, beyond: position.folded),
                try loadRecords(connection)
            )
        }
        let keys = try readKeys(
            connection, of: folder, sealing, isEmpty: position.last == 0)
        let database = TenantDatabase(
            connection: connection, statements: statements, highWaterMark: mark,
            position: position, tail: tail, records: records, sealing: keys)
        return (database, wasOlder)
    }

    /// Makes the folder of a tenant with an empty database.
    ///
    /// It appears complete and durable, or not at all.
    static func create(_ folder: TenantFolder) throws(TenantOpenError) {
        let draft = folder.draft
        try files { () throws(FileError) in
            try FileSystem.removeDirectory(draft.path)
            try FileSystem.makeDirectory(draft.path)
            _ = try FileSystem.open(draft.databasePath, exclusively: true)
        }
        let connection = try engine { () throws(SQLiteError) in
            let connection = try Connection(path: draft.databasePath)
            // One sync of the finished file is enough: nobody sees it before.
            try connection.execute("PRAGMA synchronous = OFF", "set synchronous")
            try connection.execute("PRAGMA journal_mode = WAL", "set journal_mode")
            return connection
        }
        do {
            try Schema.create(in: connection)
        } catch {
            throw TenantOpenError(error)
        }
        try engine { () throws(SQLiteError) in try connection.close() }
        try files { () throws(FileError) in
            try FileSystem.synchronize(draft.databasePath)
            try FileSystem.synchronize(draft.path)
            try FileSystem.move(draft.path, to: folder.path)
            try FileSystem.synchronize(folder.parent)
        }
    }

    private static func migrate(
        _ connection: Connection, in folder: TenantFolder
    ) throws(TenantOpenError) -> Bool {
        do {
            let version = try Schema.check(connection)
            guard version < Migrations.currentVersion else { return false }
            try keepCopy(of: connection, version, in: folder)
            try Schema.migrate(connection)
            return true
        } catch let error as SchemaError {
            throw TenantOpenError(error)
        } catch let error as TenantOpenError {
            throw error
        } catch {
            throw .notADatabase
        }
    }

    /// Keeps the database as it is before a migration, beside it.
    ///
    /// A migration that was cut short is begun anew with the same database, so a copy that is there is replaced.
    private static func keepCopy(
        of connection: Connection, _ version: Int64, in folder: TenantFolder
    ) throws(TenantOpenError) {
        let path = folder.copyPath(version: version)
        let draft = "\(path).new"
        try files { () throws(FileError) in
            try FileSystem.remove(draft)
            _ = try FileSystem.open(draft, exclusively: true)
        }
        try engine { () throws(SQLiteError) in
            let backup = try OnlineBackup(of: connection, to: draft)
            while try !backup.step(pages: 1024) {}
            try backup.close()
        }
        try files { () throws(FileError) in
            try FileSystem.synchronize(draft)
            try FileSystem.move(draft, to: path)
            try FileSystem.synchronize(folder.path)
        }
    }

    /// Where the log of a database stands.
    static func logPosition(_ connection: Connection) throws(SQLiteError) -> LogPosition {
        let folded = try connection.integer("SELECT sequence FROM fold")
        let newest = try connection.integer("SELECT coalesce(max(sequence), 0) FROM change")
        return LogPosition(
            last: max(folded, newest), folded: folded,
            lastJar: try connection.integer("SELECT coalesce(max(id), 0) FROM jar"))
    }

    private static func openMark(_ path: String) throws(TenantOpenError) -> HighWaterMark {
        do {
            return try HighWaterMark(path: path)
        } catch {
            throw .file(error)
        }
    }

    private static func readMark(
        _ mark: borrowing HighWaterMark
    ) throws(TenantOpenError) -> Int64? {
        do {
            return try mark.read()
        } catch {
            throw .file(error)
        }
    }

    private static func engine<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(TenantOpenError) -> Result {
        do {
            return try body()
        } catch {
            throw TenantOpenError(error)
        }
    }

    private static func files(_ body: () throws(FileError) -> Void) throws(TenantOpenError) {
        do {
            try body()
        } catch {
            throw .file(error)
        }
    }
}

extension TenantOpenError {
    init(_ error: SQLiteError) {
        self = error.primaryCode == SQLITE_NOTADB ? .notADatabase : .engine(error)
    }

    init(_ error: SchemaError) {
        switch error {
        case .tooNew(let version): self = .tooNew(version)
        case .engine(let error): self.init(error)
        }
    }

    /// What it means to whoever called the storage.
    var storageError: JarStorageError {
        switch self {
        case .engine(let error): error.storageError
        // The folder is there, and what belongs in it is not.
        case .file(let error) where error.code == ENOENT: .corrupt
        case .file(let error): error.storageError
        case .notADatabase, .behind, .sealed: .corrupt
        case .tooNew: .schemaTooNew
        }
    }
}

extension FileError {
    /// What it means to whoever called the storage.
    var storageError: JarStorageError {
        SQLiteError(code: SQLITE_IOERR, systemError: code, operation: operation).storageError
    }
}
