// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A compiled statement.
///
/// It is finalized with its last reference.
///
/// Bytes are bound and read with their lengths, as BLOBs; a value that holds NUL comes back whole.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        // The code repeats the failure of the last step, which has been reported.
        sqlite3_finalize(handle)
    }

    /// Goes to the next row; false at the end.
    ///
    /// A failure resets the statement.
    func step(_ operation: String = "run statement") throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let errno = sqlite3_system_errno(connection)
            sqlite3_reset(handle)
            throw SQLiteError(code: code, systemError: errno, operation: operation)
        }
    }

    /// Runs a statement that gives no rows.
    func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Runs a statement that gives no rows and keeps what was bound, with its memory, for the next run; whoever uses it binds
    /// every parameter each time.
    func runKeepingBindings(_ operation: String = "run statement") throws(SQLiteError) {
        // A step that ends, well or not, resets the statement.
        while try step(operation) {}
    }

    /// Runs the statement and hands over every row.
    func forEachRow(
        _ body: (borrowing Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        defer { reset() }
        while try step() { try body(self) }
    }

    /// Makes the statement ready to run again and forgets what was bound.
    func reset() {
        // The code repeats the failure of the last step, which has been reported.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // Parameters count from 1.

    func bind(_ index: Int32, _ number: Int64?) throws(SQLiteError) {
        if let number {
            try check(sqlite3_bind_int64(handle, index, number))
        } else {
            try check(sqlite3_bind_null(handle, index))
        }
    }

    /// Binds nothing to a range of parameters.
    func bindNothing(_ range: ClosedRange<Int32>) throws(SQLiteError) {
        for index in range { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ bytes: [UInt8]?) throws(SQLiteError) {
        guard let bytes else { return try check(sqlite3_bind_null(handle, index)) }
        guard !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
        guard let count = Int32(exactly: bytes.count) else {
            throw SQLiteError(code: SQLITE_TOOBIG, systemError: 0, operation: "bind bytes")
        }
        try check(
            bytes.withUnsafeBytes { csqlite_bind_copy(handle, index, $0.baseAddress, count) })
    }

    /// Binds octets where they lie while `body` runs the statement; they must be bound anew before it runs again.
    func binding(
        _ octets: [UInt8], to index: Int32, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try octets.withUnsafeBufferPointer { (octets) throws(SQLiteError) in
            try bindInPlace(index, octets)
            try body()
        }
    }

    private func bindInPlace(
        _ index: Int32, _ octets: UnsafeBufferPointer<UInt8>
    ) throws(SQLiteError) {
        guard let start = octets.baseAddress, !octets.isEmpty else {
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        guard let count = Int32(exactly: octets.count) else {
            throw SQLiteError(code: SQLITE_TOOBIG, systemError: 0, operation: "bind bytes")
        }
        try check(sqlite3_bind_blob(handle, index, start, count, nil))
    }

    /// Binds octets as text.
    func bind(_ index: Int32, text: [UInt8]) throws(SQLiteError) {
        guard let count = Int32(exactly: text.count) else {
            throw SQLiteError(code: SQLITE_TOOBIG, systemError: 0, operation: "bind text")
        }
        try check(
            text.withUnsafeBytes { csqlite_bind_text_copy(handle, index, $0.baseAddress, count) })
    }

    // Columns count from 0. A column of another type than the schema's is damage.

    func integer(_ column: Int32) throws(SQLiteError) -> Int64 {
        guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else {
            throw .undecodable("an integer")
        }
        return sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) throws(SQLiteError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    func bytes(_ column: Int32) throws(SQLiteError) -> [UInt8] {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else {
            throw .undecodable("bytes")
        }
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0 else { return [] }
        guard let start = sqlite3_column_blob(handle, column) else {
            throw SQLiteError(code: SQLITE_NOMEM, systemError: 0, operation: "read bytes")
        }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func optionalBytes(_ column: Int32) throws(SQLiteError) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }

    /// The column as text, whatever its type is; for answers of pragmas.
    func text(_ column: Int32) -> String? {
        sqlite3_column_text(handle, column).map { start in
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(
                decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, systemError: 0, operation: "bind parameter")
        }
    }
}
