// SPDX-License-Identifier: Apache-2.0

import CSQLite
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The migration of a data directory")
struct DataMigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var configuration: SQLiteJarStorageConfiguration {
        SQLiteJarStorageConfiguration(dataDirectory: directory.path)
    }

    private func folder(_ tenant: String) throws -> TenantFolder {
        let data = DataDirectory(path: directory.path)
        try FileSystem.makeDirectory(data.tenantsPath)
        return data.folder(of: try #require(TenantID(tenant.utf8)))
    }

    /// A tenant as the first version wrote it.
    private func makeOld(_ tenant: String) throws -> TenantFolder {
        let folder = try folder(tenant)
        try FileSystem.makeDirectory(folder.path)
        _ = try FileSystem.open(folder.databasePath, exclusively: true)
        let connection = try Connection(path: folder.databasePath)
        try connection.execute(
            """
            PRAGMA application_id = \(Migrations.applicationID);
            \(Migrations.all[0]);
            PRAGMA user_version = 1;
            """, "prepare")
        try connection.close()
        return folder
    }

    @Test("brings old tenants forward once, keeps a copy of each, and leaves new ones alone")
    func migrates() throws {
        let old = try makeOld("old")
        try TenantDatabase.create(try folder("new"))
        let first = try DataMigration.run(configuration)
        #expect(first.schemaVersion == Int(Migrations.currentVersion))
        #expect((first.tenants, first.migrated) == (2, 1))
        #expect(first.faults.isEmpty)
        #expect(FileSystem.exists(old.copyPath(version: 1)))
        let second = try DataMigration.run(configuration)
        #expect((second.tenants, second.migrated) == (2, 0))
    }

    @Test("names a tenant that it cannot use, and goes on with the others")
    func faults() throws {
        let broken = try makeOld("broken")
        try Connection(path: broken.databasePath).execute("PRAGMA user_version = 99", "prepare")
        _ = try makeOld("old")
        let report = try DataMigration.run(configuration)
        #expect((report.tenants, report.migrated) == (1, 1))
        #expect(
            report.faults == [
                StorageFault(code: "schema-too-new", tenant: TenantID("broken".utf8))
            ])
    }
}
