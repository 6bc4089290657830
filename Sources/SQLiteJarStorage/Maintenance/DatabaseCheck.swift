// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// Whether a tenant's database, in a file that nobody has open, is sound.
enum DatabaseCheck {
    /// Checks structure, constraints, schema, and that the last change is the one it should be.
    static func run(_ path: String, lastSequence: Int64) throws(JarStorageError) {
        do {
            try DatabaseHeader.check(path)
            let connection = try Connection(path: path)
            try ConnectionSettings.apply(ConnectionSettings.beforeReading, to: connection)
            _ = try Schema.check(connection)
            guard try connection.text("PRAGMA integrity_check(1)") == "ok",
                try TenantDatabase.logPosition(connection).last == lastSequence
            else { throw JarStorageError.corrupt }
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
