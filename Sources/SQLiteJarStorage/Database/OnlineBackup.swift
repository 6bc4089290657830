// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A copy of a database, made a few pages at a time while its connection goes on writing (SQLite's backup API).
///
/// What the connection commits between two steps reaches the pages that have been copied already, so the copy is
/// the database as of the last step. Nothing of it is durable until the caller syncs the file.
final class OnlineBackup {
    private let target: Connection
    private var handle: OpaquePointer?

    /// Begins a copy into a file that exists and is empty.
    init(of source: Connection, to path: String) throws(SQLiteError) {
        target = try Connection(path: path)
        // The file is synced once, when it is complete; before that nobody needs it.
        try target.execute("PRAGMA synchronous = OFF", "set synchronous")
        try target.execute("PRAGMA journal_mode = OFF", "set journal_mode")
        handle = sqlite3_backup_init(target.handle, "main", source.handle, "main")
        guard handle != nil else { throw failure(sqlite3_errcode(target.handle), "start backup") }
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies that many pages; true when the copy is complete.
    func step(pages: Int32) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_OK { return false }
        guard code == SQLITE_DONE else { throw failure(code, "copy pages") }
        return true
    }

    /// Ends the copy and closes its file.
    func close() throws(SQLiteError) {
        let code = sqlite3_backup_finish(handle)
        handle = nil
        guard code == SQLITE_OK else { throw failure(code, "finish backup") }
        try target.close()
    }

    private func failure(_ code: Int32, _ operation: String) -> SQLiteError {
        SQLiteError(
            code: code, systemError: sqlite3_system_errno(target.handle), operation: operation)
    }
}
