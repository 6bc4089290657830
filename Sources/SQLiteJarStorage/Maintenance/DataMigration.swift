// SPDX-License-Identifier: Apache-2.0

public import JarStorage

/// What a migration of a data directory came to.
public struct MigrationReport: Hashable, Sendable {
    /// The version that every sound tenant has now.
    public let schemaVersion: Int
    /// How many tenants are sound.
    public internal(set) var tenants = 0
    /// How many of them had an older version before.
    public internal(set) var migrated = 0
    /// The tenants that are not.
    public internal(set) var faults: [StorageFault] = []
}

/// Brings the database of every tenant to the current version, so that none has to be when its first request comes.
///
/// Each database that changes is copied first, beside itself, as `jar.sqlite.v` and its version: with the program before and
/// that file under the name `jar.sqlite`, the way back is open until the next write.
public enum DataMigration {
    /// Migrates a data directory that nobody serves meanwhile.
    ///
    /// A tenant that cannot be used is left as it is and named in the report.
    ///
    /// - Parameter configuration: where it is, and its keys.
    /// - Returns: what was done.
    /// - Throws: `StorageOpenError` when another process has the directory, or it cannot be used.
    public static func run(
        _ configuration: SQLiteJarStorageConfiguration
    ) throws(StorageOpenError) -> MigrationReport {
        let directory = DataDirectory(path: configuration.dataDirectory)
        let lock = try directory.take()
        defer { withExtendedLifetime(lock) {} }
        let sealing: DirectorySealing
        do {
            sealing = try DirectorySealing(directory, configuration.keys)
        } catch {
            throw .keys(path: directory.path, error)
        }
        let tenants: [TenantID]
        do {
            tenants = try directory.tenants()
        } catch {
            throw .dataDirectory(
                path: directory.path, errno: error.code, operation: error.operation)
        }
        var report = MigrationReport(schemaVersion: Int(Migrations.currentVersion))
        for tenant in tenants {
            do throws(TenantOpenError) {
                if try migrate(directory.folder(of: tenant), sealing) { report.migrated += 1 }
                report.tenants += 1
            } catch {
                report.faults.append(
                    StorageFault(code: FaultRegister.code(of: error.storageError), tenant: tenant))
            }
        }
        return report
    }

    /// Opens a tenant's database as the service does, and closes it.
    ///
    /// - Returns: Whether it had an older version.
    private static func migrate(
        _ folder: TenantFolder, _ sealing: DirectorySealing
    ) throws(TenantOpenError) -> Bool {
        let (database, wasOlder) = try TenantDatabase.openMigrating(folder, sealing)
        do {
            try database.close()
        } catch {
            throw TenantOpenError(error)
        }
        return wasOlder
    }
}
