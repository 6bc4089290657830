// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A connection to one database file, and the owner of its statements' lives: `close` checks that none is left.
///
/// SQLite is opened without its own mutexes. A connection is not `Sendable`: whoever owns it sees to it that
/// one thread at a time uses it.
final class Connection {
    private static let leaveOutMemoryStatistics = csqlite_leave_out_memory_statistics()

    let handle: OpaquePointer
    private var isOpen = true
    /// What begins and ends transactions, once the first has been.
    private var boundaries: (begin: Statement, commit: Statement)?

    /// Opens a file that exists already.
    init(path: String) throws(SQLiteError) {
        // Once, before anything else; later it is refused, and costs only time.
        _ = Self.leaveOutMemoryStatistics
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let errno = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close(opened)
            throw SQLiteError(code: code, systemError: errno, operation: "open database")
        }
        handle = opened
    }

    deinit {
        if isOpen { sqlite3_close_v2(handle) }
    }

    /// Closes the file; fails when a statement is still alive.
    func close() throws(SQLiteError) {
        boundaries = nil
        try check(sqlite3_close(handle), "close database")
        isOpen = false
    }

    /// Leaves the write-ahead log as it is when the connection closes.
    func keepLogOnClose() throws(SQLiteError) {
        try check(csqlite_keep_wal_on_close(handle), "configure database")
    }

    /// Whether no transaction is open.
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// How many statements are alive.
    var statementCount: Int {
        var count = 0
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            count += 1
            next = sqlite3_next_stmt(handle, statement)
        }
        return count
    }

    /// Compiles one statement; `isKept` tells SQLite that it will be used for long.
    func prepare(_ sql: String, isKept: Bool = true) throws(SQLiteError) -> Statement {
        var prepared: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw failure(code, "prepare statement") }
        return Statement(prepared, of: handle)
    }

    /// Runs statements that have no parameters and whose rows nobody needs.
    func execute(_ sql: String, _ operation: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), operation)
    }

    /// The first column of the first row of a statement, as text; nil without a row.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql, isKept: false)
        guard try statement.step() else { return nil }
        return statement.text(0)
    }

    /// The first column of the first row of a statement.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql, isKept: false)
        guard try statement.step() else { throw .undecodable("a result without a row") }
        return try statement.integer(0)
    }

    /// Runs `body` in a transaction: all of it, or nothing.
    func transaction(_ body: () throws(SQLiteError) -> Void) throws(TransactionError) {
        let commit: Statement
        do {
            let boundaries = try prepareBoundaries()
            try boundaries.begin.runKeepingBindings("begin transaction")
            commit = boundaries.commit
            try body()
        } catch {
            rollBack()
            throw TransactionError(cause: error, isInDoubt: false)
        }
        do {
            try commit.runKeepingBindings("commit transaction")
        } catch {
            rollBack()
            throw TransactionError(cause: error, isInDoubt: error.isInputOutputFailure)
        }
    }

    private func prepareBoundaries() throws(SQLiteError) -> (begin: Statement, commit: Statement) {
        if let boundaries { return boundaries }
        let prepared = (begin: try prepare("BEGIN IMMEDIATE"), commit: try prepare("COMMIT"))
        boundaries = prepared
        return prepared
    }

    private func rollBack() {
        guard !isIdle else { return }
        // A rollback that fails leaves nothing that anyone will read: the caller drops the connection after
        // every failure of the medium, and the log's unfinished frames are ignored by the next one.
        try? execute("ROLLBACK", "roll back transaction")
    }

    private func check(_ code: Int32, _ operation: String) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure(code, operation) }
    }

    private func failure(_ code: Int32, _ operation: String) -> SQLiteError {
        SQLiteError(
            code: code, systemError: sqlite3_system_errno(handle), operation: operation)
    }
}

/// A transaction that did not end well.
struct TransactionError: Error, Hashable, Sendable {
    /// What failed.
    let cause: SQLiteError
    /// Whether it may have taken effect all the same: the commit was written, and its sync failed.
    let isInDoubt: Bool
}
