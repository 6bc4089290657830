// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Cookies
import JarStorage

/// The open file of the catalogue; one thread uses it.
final class CatalogueDatabase {
    private let connection: Connection
    private let path: String

    /// Opens the catalogue, making an empty one if there is none.
    init(path: String) throws(CatalogueError) {
        self.path = path
        if !FileSystem.exists(path) { try Self.create(path) }
        do {
            // SQLite would take an empty file for an empty database.
            guard try FileSystem.size(of: path) > 0 else { throw CatalogueError.notACatalogue }
            connection = try Connection(path: path)
            try connection.keepLogOnClose()
            try ConnectionSettings.apply(ConnectionSettings.beforeReading, to: connection)
            try CatalogueSchema.migrate(connection)
            try ConnectionSettings.apply(ConnectionSettings.beforeWriting, to: connection)
        } catch let error as CatalogueError {
            throw error
        } catch let error as SQLiteError {
            throw error.primaryCode == SQLITE_NOTADB ? .notACatalogue : .engine(error)
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .notACatalogue
        }
    }

    /// Makes an empty catalogue, which appears complete and durable or not at all.
    private static func create(_ path: String) throws(CatalogueError) {
        let draft = "\(path).new"
        do {
            try FileSystem.remove(draft)
            _ = try FileSystem.open(draft, exclusively: true)
            let connection = try Connection(path: draft)
            try connection.execute(
                "PRAGMA application_id = \(CatalogueSchema.applicationID)", "set application_id")
            try CatalogueSchema.migrate(connection)
            try connection.close()
            try FileSystem.synchronize(draft)
            try FileSystem.move(draft, to: path)
            try FileSystem.synchronize(FileSystem.parent(of: path))
        } catch let error as CatalogueError {
            throw error
        } catch let error as SQLiteError {
            throw .engine(error)
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .notACatalogue
        }
    }

    /// Everything in it.
    func load() throws(SQLiteError) -> CatalogueState {
        var tenants: [CatalogueTenant] = []
        let selectTenants = try connection.prepare(
            "SELECT name, created_at, byte_limit, rate_limit, deleting FROM tenant", isKept: false)
        try selectTenants.forEachRow { (row) throws(SQLiteError) in
            tenants.append(try CatalogueRow.tenant(in: row))
        }
        var tokens: [(record: TokenRecord, lastUse: Int64)] = []
        let selectTokens = try connection.prepare(
            "SELECT \(CatalogueRow.tokenColumns), last_use FROM token", isKept: false)
        try selectTokens.forEachRow { (row) throws(SQLiteError) in
            tokens.append((try CatalogueRow.token(in: row), try row.integer(12)))
        }
        return CatalogueState(tenants: tenants, tokens: tokens)
    }

    /// Makes changes durable, all or none.
    func commit(_ changes: [CatalogueChange]) throws(TransactionError) {
        try connection.transaction { () throws(SQLiteError) in
            for change in changes { try apply(change) }
        }
    }

    /// Notes when tokens were used last.
    func noteUses(_ uses: [(id: TokenID, lastUse: Int64)]) throws(TransactionError) {
        try connection.transaction { () throws(SQLiteError) in try note(uses) }
    }

    /// Makes everything durable that another catalogue held, or nothing.
    func put(_ image: CatalogueImage) throws(TransactionError) {
        try connection.transaction { () throws(SQLiteError) in
            for change in image.changes { try apply(change) }
            try note(image.tokens.map { ($0.record.id, $0.lastUse) })
        }
    }

    private func note(_ uses: [(id: TokenID, lastUse: Int64)]) throws(SQLiteError) {
        let update = try connection.prepare(
            "UPDATE token SET last_use = ?2 WHERE id = ?1", isKept: false)
        for use in uses {
            try update.bind(1, use.id.bytes)
            try update.bind(2, use.lastUse)
            try update.run()
        }
    }

    /// Copies the whole log into the file and starts it anew, after a sync that failed.
    func renewLog() throws(SQLiteError) {
        guard try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            throw .undecodable("a checkpoint that did not finish")
        }
    }

    /// Copies the catalogue to a file that exists and is empty.
    func copy(to path: String) throws(SQLiteError) {
        let backup = try OnlineBackup(of: connection, to: path)
        while try !backup.step(pages: 256) {}
        try backup.close()
    }

    /// Whether its structure is sound.
    func isSound() throws(SQLiteError) -> Bool {
        try connection.text("PRAGMA integrity_check(1)") == "ok"
    }

    /// Closes the file.
    func close() throws(SQLiteError) { try connection.close() }

    private func apply(_ change: CatalogueChange) throws(SQLiteError) {
        let statement: Statement
        switch change {
        case .putTenant(let record):
            statement = try connection.prepare(
                "INSERT OR REPLACE INTO tenant VALUES (?1, ?2, ?3, ?4, ?5)", isKept: false)
            try CatalogueRow.bind(record, to: statement)
        case .removeTenant(let tenant):
            statement = try connection.prepare("DELETE FROM tenant WHERE name = ?1", isKept: false)
            try statement.bind(1, tenant.bytes)
        case .putToken(let record):
            statement = try connection.prepare(
                """
                INSERT INTO token (\(CatalogueRow.tokenColumns), last_use)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0)
                ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at,
                    digest = excluded.digest, overlap_digest = excluded.overlap_digest,
                    overlap_until = excluded.overlap_until
                """, isKept: false)
            try CatalogueRow.bind(record, to: statement)
        case .removeToken(let id, _):
            statement = try connection.prepare("DELETE FROM token WHERE id = ?1", isKept: false)
            try statement.bind(1, id.bytes)
        }
        try statement.run()
    }
}
