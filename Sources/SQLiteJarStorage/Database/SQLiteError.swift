// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import JarStorage

/// A call of SQLite that failed.
///
/// It never holds the values that were bound.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// The errno behind it, if there was one.
    let systemError: Int32
    /// What was being done: a verb and its object.
    let operation: String

    /// The result code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// A row that no version of this program can have written.
    static func undecodable(_ what: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, systemError: 0, operation: "decode \(what)")
    }

    var description: String {
        "\(operation): \(String(cString: sqlite3_errstr(code))) (\(code))"
            + (systemError == 0 ? "" : ", errno \(systemError)")
    }

    /// Whether the storage medium failed, so that nothing the connection believes can be trusted.
    ///
    /// A write for which there was no room is none: what it left in the log is no part of it, and is written over.
    var isInputOutputFailure: Bool {
        primaryCode == SQLITE_IOERR && !(code == Self.writeFailure && isOutOfRoom)
    }

    /// `SQLITE_IOERR_WRITE`, a macro that Swift does not import.
    private static let writeFailure: Int32 = SQLITE_IOERR | 3 << 8

    private var isOutOfRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(systemError) }

    /// What it means to whoever called the storage.
    var storageError: JarStorageError {
        if isIntegrityFailure { return .integrity }
        switch primaryCode {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY: return .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        default: break
        }
        switch systemError {
        case _ where isOutOfRoom: return .full
        case EROFS: return .readOnly
        default: return .unavailable
        }
    }
}
