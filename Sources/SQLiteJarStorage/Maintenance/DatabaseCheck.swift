// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// Whether a tenant's database, in a file that nobody has open, is sound.
enum DatabaseCheck {
    /// Checks structure, constraints, schema, and that the last change is the one it should be.
    static func run(_ folder: TenantFolder, lastSequence: Int64) throws(JarStorageError) {
        try read(folder) { (connection) throws(SQLiteError) in
            guard try connection.text("PRAGMA integrity_check(1)") == "ok",
                try TenantDatabase.logPosition(connection).last == lastSequence
            else { throw .undecodable("a database") }
        }
    }

    /// Opens every value that is sealed.
    ///
    /// Complexity: O(rows).
    static func openValues(
        in folder: TenantFolder, _ directory: DirectorySealing
    ) throws(JarStorageError) {
        try read(folder) { (connection) throws(SQLiteError) in
            let keys: TenantSealing
            do {
                let position = try TenantDatabase.logPosition(connection)
                keys = try TenantDatabase.readKeys(
                    connection, of: folder, directory, isEmpty: position.last == 0)
            } catch let error as SQLiteError {
                throw error
            } catch {
                throw .integrity
            }
            guard keys.active != nil else { return }
            let names = try jarNames(connection)
            let scan = ValueScan(connection: connection, sealing: keys, skipsCurrent: false) {
                names[$0]
            }
            _ = try scan.log(after: .min, limit: .max) { (row) throws(SQLiteError) in
                guard row.cookie != nil else { throw .integrity }
            }
            _ = try scan.table(after: ValueScan.CookieKey(), limit: .max) {
                (row) throws(SQLiteError) in
                guard row.cookie != nil else { throw .integrity }
            }
        }
    }

    private static func jarNames(_ connection: Connection) throws(SQLiteError) -> [Int64: JarID] {
        let statement = try connection.prepare(
            "SELECT id, name FROM jar UNION ALL SELECT jar, store FROM change WHERE kind = 0",
            isKept: false)
        var names: [Int64: JarID] = [:]
        try statement.forEachRow { (row) throws(SQLiteError) in
            names[try row.integer(0)] = JarID(try row.bytes(1))
        }
        return names
    }

    private static func read(
        _ folder: TenantFolder, _ body: (Connection) throws(SQLiteError) -> Void
    ) throws(JarStorageError) {
        do {
            try DatabaseHeader.check(folder.databasePath)
            let connection = try Connection(path: folder.databasePath)
            try ConnectionSettings.apply(ConnectionSettings.beforeReading, to: connection)
            _ = try Schema.check(connection)
            try body(connection)
            try connection.close()
        } catch let error as TenantOpenError {
            throw error.storageError
        } catch let error as SchemaError {
            throw TenantOpenError(error).storageError
        } catch let error as SQLiteError {
            throw error.storageError
        } catch {
            throw .corrupt
        }
    }
}
