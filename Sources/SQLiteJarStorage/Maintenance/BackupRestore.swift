// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JarStorage
public import Sealing

/// Why a backup was not restored.
public enum RestoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no complete backup at that path.
    case notABackup(path: String)
    /// The target has something in it.
    case notFresh(path: String)
    /// A tenant of the backup is not as the backup says.
    case damaged(tenant: TenantID)
    /// The tenants and tokens in the backup are damaged.
    case damagedCatalogue
    /// A newer program wrote the backup.
    case tooNew(tenant: TenantID)
    /// The keys that were given do not go with the backup.
    case keys(path: String, KeyTrouble)
    /// The target cannot be written; `errno` says why.
    case target(path: String, errno: Int32, operation: String)
    /// The storage engine failed on the target.
    case engine(path: String)

    /// The failure in one line.
    public var description: String {
        switch self {
        case .notABackup(let path): "\(path) is no complete backup"
        case .notFresh(let path):
            "\(path) is not empty; a backup is restored into a fresh directory"
        case .damaged(let tenant): "the backup's data of tenant \(tenant) are damaged"
        case .damagedCatalogue: "the backup's tenants and tokens are damaged"
        case .tooNew(let tenant): "a newer version wrote the data of tenant \(tenant)"
        case .keys(let path, let trouble): "\(path): \(trouble)"
        case .target(let path, let errno, let operation):
            "\(path): \(operation): \(String(cString: strerror(errno)))"
        case .engine(let path): "\(path): the storage engine failed; is the disk full?"
        }
    }
}

/// Makes a data directory out of a backup.
///
/// Every jar's revision is raised by 2^20 and its feed's floor is put there, so that whoever knows a revision from
/// after the backup is told to start anew in place of being given other changes under the same numbers.
public enum BackupRestore {
    static let revisionGap: Int64 = 1 << 20
    /// Stands in the target until all is there; a directory with it is not served.
    static let marker = "RESTORING"

    /// Restores a backup into a directory that is empty or not there.
    ///
    /// - Parameters:
    ///   - backup: the backup's path.
    ///   - path: the new data directory's.
    ///   - keys: the keys that the backup's values were sealed with; a backup that has none needs none.
    /// - Returns: what was restored.
    /// - Throws: `RestoreError`.
    public static func run(
        from backup: String, into path: String, keys: KeyRing? = nil
    ) throws(RestoreError) -> MaintenanceReport {
        guard let text = try? FileSystem.contents(of: "\(backup)/\(BackupManifest.fileName)"),
            let manifest = BackupManifest(text)
        else { throw .notABackup(path: backup) }
        let (source, target) = (DataDirectory(path: backup), DataDirectory(path: path))
        do {
            try DirectorySealing.check(source, keys)
        } catch {
            throw .keys(path: backup, error)
        }
        try files(path) { () throws(FileError) in try FileSystem.makeDirectory(path) }
        let entries = try files(path) { () throws(FileError) in
            try FileSystem.entries(of: path)
        }
        guard entries.allSatisfy({ $0 == "lost+found" }) else { throw .notFresh(path: path) }
        try files(path) { () throws(FileError) in
            try FileSystem.write([], to: "\(path)/\(marker)")
            try FileSystem.makeDirectory(target.tenantsPath)
            try FileSystem.synchronize(path)
        }
        let sealing = try restoreKeys(from: source, to: target, keys)
        var report = MaintenanceReport()
        for (tenant, sequence) in manifest.tenants {
            report.bytes += try restore(tenant, sequence, from: source, to: target, sealing)
            report.tenants += 1
        }
        try restoreCatalogue(from: source, to: target)
        try files(path) { () throws(FileError) in
            try FileSystem.synchronize(target.tenantsPath)
            try FileSystem.remove("\(path)/\(marker)")
            try FileSystem.synchronize(path)
        }
        return report
    }

    /// Takes over which keys the values were sealed with; the keys themselves are in no backup.
    private static func restoreKeys(
        from source: DataDirectory, to target: DataDirectory, _ keys: KeyRing?
    ) throws(RestoreError) -> DirectorySealing {
        let register = "\(source.path)/\(KeyRegister.fileName)"
        guard FileSystem.exists(register) else { return .off }
        try files(target.path) { () throws(FileError) in
            try FileSystem.copy(register, to: "\(target.path)/\(KeyRegister.fileName)")
            try FileSystem.synchronize("\(target.path)/\(KeyRegister.fileName)")
        }
        do {
            return try DirectorySealing(target, keys)
        } catch {
            throw .keys(path: source.path, error)
        }
    }

    /// Puts the tenants and tokens back; backups of earlier versions have none.
    private static func restoreCatalogue(
        from source: DataDirectory, to target: DataDirectory
    ) throws(RestoreError) {
        guard FileSystem.exists(source.cataloguePath) else { return }
        try files(target.path) { () throws(FileError) in
            try FileSystem.copy(source.cataloguePath, to: target.cataloguePath)
            try FileSystem.synchronize(target.cataloguePath)
        }
        do {
            let catalogue = try CatalogueDatabase(path: target.cataloguePath)
            guard try catalogue.isSound() else { throw RestoreError.damagedCatalogue }
            _ = try catalogue.load()
            try catalogue.close()
        } catch {
            throw .damagedCatalogue
        }
    }

    private static func restore(
        _ tenant: TenantID, _ sequence: Int64, from source: DataDirectory,
        to target: DataDirectory, _ sealing: DirectorySealing
    ) throws(RestoreError) -> Int {
        let folder = target.folder(of: tenant)
        let origin = source.folder(of: tenant).databasePath
        guard FileSystem.exists(origin) else { throw .damaged(tenant: tenant) }
        try files(target.path) { () throws(FileError) in
            try FileSystem.makeDirectory(folder.path)
            try FileSystem.copy(origin, to: folder.databasePath)
        }
        do {
            try DatabaseCheck.run(folder, lastSequence: sequence)
            try raiseRevisions(in: folder, sealing)
            return try TenantCopier.finish(folder, sequence)
        } catch {
            switch error {
            case .corrupt, .integrity: throw .damaged(tenant: tenant)
            case .schemaTooNew: throw .tooNew(tenant: tenant)
            default: throw .engine(path: folder.path)
            }
        }
    }

    private static func raiseRevisions(
        in folder: TenantFolder, _ sealing: DirectorySealing
    ) throws(JarStorageError) {
        let database: TenantDatabase
        do {
            database = try TenantDatabase.open(folder, sealing)
        } catch {
            throw error.storageError
        }
        do {
            try database.foldAll()
            try database.connection.transaction { () throws(SQLiteError) in
                try database.connection.execute(
                    """
                    UPDATE jar SET revision = revision + \(revisionGap),
                        floor = revision + \(revisionGap);
                    DELETE FROM change;
                    DELETE FROM jar_change
                    """, "raise revisions")
            }
            try database.renewLog()
            try database.close()
        } catch let error as TransactionError {
            throw error.cause.storageError
        } catch let error as SQLiteError {
            throw error.storageError
        } catch {
            throw .unavailable
        }
    }

    private static func files<Result>(
        _ path: String, _ body: () throws(FileError) -> Result
    ) throws(RestoreError) -> Result {
        do {
            return try body()
        } catch {
            throw .target(path: path, errno: error.code, operation: error.operation)
        }
    }
}
