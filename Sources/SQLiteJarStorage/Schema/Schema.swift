// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// Why a file cannot be used as a tenant's database.
enum SchemaError: Error, Hashable, Sendable {
    /// It is of a version that this program does not know.
    case tooNew(Int64)
    /// SQLite refused.
    case engine(SQLiteError)
}

enum Schema {
    /// Brings a database to the current version, one transaction for each step.
    ///
    /// Touches nothing when it is current, newer, or not ours.
    static func migrate(_ connection: borrowing Connection) throws(SchemaError) {
        let version = try check(connection)
        for next in version..<Migrations.currentVersion {
            try step(connection, to: next + 1)
        }
    }

    /// Makes an empty file a database of the current version.
    static func create(in connection: borrowing Connection) throws(SchemaError) {
        do {
            try connection.execute(
                "PRAGMA application_id = \(Migrations.applicationID)", "set application_id")
        } catch {
            throw .engine(error)
        }
        try migrate(connection)
    }

    /// The version of a database, which is one that this program can use.
    static func check(_ connection: borrowing Connection) throws(SchemaError) -> Int64 {
        let version: Int64
        let applicationID: Int64
        do {
            applicationID = try connection.integer("PRAGMA application_id")
            version = try connection.integer("PRAGMA user_version")
        } catch {
            throw .engine(error)
        }
        guard applicationID == Migrations.applicationID, version >= 0 else {
            throw .engine(.undecodable("the database of another program"))
        }
        guard version <= Migrations.currentVersion else { throw .tooNew(version) }
        return version
    }

    private static func step(
        _ connection: borrowing Connection, to version: Int64
    ) throws(SchemaError) {
        let sql = Migrations.all[Int(version) - 1]
        do {
            try connection.execute(
                "BEGIN IMMEDIATE; \(sql); PRAGMA user_version = \(version); COMMIT",
                "migrate to version \(version)")
        } catch {
            // What the step did is rolled back with the connection, which nobody uses after this.
            throw .engine(error)
        }
    }
}
