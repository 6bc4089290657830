// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgresJarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// Brings what is stored to this version's schema, so that the service need not.
///
/// The database's with a role that may; the service then needs one that may only read and write rows. The data directory's
/// while nobody serves it, each tenant after a copy of its file was made.
enum Migrate {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        if settings.text(.storage) == nil {
            try migrateFiles(settings)
        } else {
            try migrateDatabase(settings)
        }
    }

    private static func migrateFiles(_ settings: Settings) throws(Failure) {
        guard access(settings.text(.dataDirectory) ?? "", F_OK) == 0 else {
            throw Failure(.configuration, "data-dir: \(File.lastError())")
        }
        let configuration = try Storage.configuration(settings)
        let report: MigrationReport
        do {
            report = try DataMigration.run(configuration)
        } catch {
            throw Failure(Storage.exitCode(error), "data-dir: \(error)")
        }
        Maintenance.show(MigrationBody(report))
        guard report.faults.isEmpty else { throw Maintenance.damage }
    }

    private static func migrateDatabase(_ settings: Settings) throws(Failure) {
        let connection = try Storage.connection(settings)
        do {
            let version = try Schema.migrate(
                connection, grantingTo: settings.text(.storageRole), .silent)
            print("the schema is of version \(version)")
        } catch {
            throw Failure(Storage.exitCode(error), "storage: \(error)")
        }
    }
}
