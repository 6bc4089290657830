// SPDX-License-Identifier: Apache-2.0

internal import PostgresJarStorage
internal import Telemetry

/// Brings the database's schema to this version, with a role that may; the service then needs one that may only read and
/// write rows.
enum Migrate {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
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
