// SPDX-License-Identifier: Apache-2.0

import Locks
public import Telemetry

/// Brings the schema to the version of this program.
public enum Schema {
    /// Held by whoever changes the schema; "cksy" and a number.
    private static let lockNumber: Int64 = 0x636B_7379_0001
    private static let stepMilliseconds = 60_000

    /// Brings the schema to this program's version, one transaction for all steps, one program at a time.
    ///
    /// - Parameters:
    ///   - info: the connection of a role that may create tables.
    ///   - role: a role that is given what the running service needs, and nothing else; nil for none.
    ///   - logger: where steps and faults are told.
    /// - Returns: the version that it has now.
    /// - Throws: `DatabaseOpenError` when it cannot be reached, or the role may not.
    @discardableResult
    public static func migrate(
        _ info: ConnectionInfo, grantingTo role: String?, _ logger: Logger
    ) throws(DatabaseOpenError) -> Int64 {
        let health = EngineHealth(logger: logger)
        do {
            let connection = try LaneContext.open(
                info, statements: [], health, milliseconds: stepMilliseconds)
            let version = try run(connection, role)
            logger.log(.info, "the schema is current", ["version": .number(Int(version))])
            return version
        } catch let error as PostgresError {
            health.report(error)
            throw opening(error)
        } catch let error as DatabaseOpenError {
            throw error
        } catch {
            throw .unreachable(state: "")
        }
    }

    /// Sees that the schema is of this version, and brings it there if the role may.
    static func check(_ info: ConnectionInfo, _ logger: Logger) throws(DatabaseOpenError) {
        let health = EngineHealth(logger: logger)
        let found: Int64
        do throws(PostgresError) {
            let connection = try LaneContext.open(
                info, statements: [], health, milliseconds: stepMilliseconds)
            found = try version(connection)
            try warn(connection, logger)
        } catch {
            throw opening(error)
        }
        guard found <= Migrations.currentVersion else { throw .schemaTooNew }
        if found < Migrations.currentVersion { try migrate(info, grantingTo: nil, logger) }
    }

    private static func run(
        _ connection: PostgresConnection, _ role: String?
    ) throws -> Int64 {
        try ask(connection, "BEGIN")
        try ask(connection, "SET LOCAL statement_timeout = \(stepMilliseconds)")
        try ask(connection, "SET LOCAL lock_timeout = \(stepMilliseconds)")
        try ask(connection, "SELECT pg_advisory_xact_lock(\(lockNumber))")
        let found = try version(connection)
        guard found <= Migrations.currentVersion else { throw DatabaseOpenError.schemaTooNew }
        if found == 0 {
            try ask(connection, "CREATE SCHEMA IF NOT EXISTS cookiesync")
            try ask(
                connection,
                "CREATE TABLE IF NOT EXISTS cookiesync.schema_version (version int8 NOT NULL)")
            try ask(connection, "INSERT INTO cookiesync.schema_version VALUES (0)")
        }
        for step in Migrations.all.dropFirst(Int(found)) {
            for sql in step { try ask(connection, sql) }
        }
        try ask(
            connection,
            "UPDATE cookiesync.schema_version SET version = \(Migrations.currentVersion)")
        if let role { try grant(connection, role) }
        try ask(connection, "COMMIT")
        return Migrations.currentVersion
    }

    /// Reading and writing rows; no table can be made, changed or emptied with that.
    private static func grant(_ connection: PostgresConnection, _ role: String) throws {
        let name =
            "\""
            + role.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
        try ask(connection, "GRANT USAGE ON SCHEMA cookiesync TO \(name)")
        try ask(connection, "GRANT SELECT ON cookiesync.schema_version TO \(name)")
        for table in Migrations.tables {
            try ask(
                connection,
                "GRANT SELECT, INSERT, UPDATE, DELETE ON cookiesync.\(table) TO \(name)")
        }
    }

    /// The version of the schema; 0 when there is none.
    private static func version(
        _ connection: PostgresConnection
    ) throws(PostgresError) -> Int64 {
        let table = try ask(
            connection, "SELECT to_regclass('cookiesync.schema_version') IS NOT NULL")
        guard table.count == 1, table.flag(0, 0) else { return 0 }
        let rows = try ask(connection, "SELECT version FROM cookiesync.schema_version")
        return rows.count == 1 ? try rows.integer(0, 0) : 0
    }

    /// Says what takes a promise away: a role that row-level security does not bind, a server that does not sync.
    private static func warn(
        _ connection: PostgresConnection, _ logger: Logger
    ) throws(PostgresError) {
        let rows = try ask(
            connection,
            """
            SELECT coalesce(bool_or(rolsuper OR rolbypassrls), false),
                current_setting('fsync', true) = 'off'
                    OR current_setting('full_page_writes', true) = 'off',
                current_setting('server_version')
            FROM pg_roles WHERE rolname = current_user
            """)
        guard rows.count == 1 else { return }
        logger.log(.info, "use PostgreSQL", ["version": .text(rows.text(0, 2))])
        if rows.flag(0, 0) {
            logger.log(.warning, "the role is not bound by row-level security; use an ordinary one")
        }
        if rows.flag(0, 1) {
            logger.log(.warning, "the server does not sync: what is acknowledged may be lost")
        }
    }

    @discardableResult
    private static func ask(
        _ connection: PostgresConnection, _ sql: String
    ) throws(PostgresError) -> QueryResult {
        var script = Script()
        script.add(Statement(name: "", sql: sql))
        let exchange = connection.run(
            script, until: .now.adding(milliseconds: stepMilliseconds))
        guard let result = exchange.results.first else {
            throw exchange.failure ?? .lost("schema")
        }
        return result
    }

    private static func opening(_ error: PostgresError) -> DatabaseOpenError {
        switch error.state {
        case "42501", "3F000", "42P01", "25006": .schemaMissing
        default: .unreachable(state: error.state)
        }
    }
}
