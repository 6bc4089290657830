// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The pragmas of every connection.
///
/// Each is set and then asked for: a switch that failed may answer with the old value in place of an error,
/// and one that came without an effect would cost data.
enum ConnectionSettings {
    struct Pragma: Sendable {
        let name: String
        let value: String
        /// What asking for it has to answer.
        let answer: String
    }

    /// Those that need nothing from the file.
    ///
    /// The locking mode comes first: some of the others read the schema, and only a log that is opened in
    /// exclusive mode does without shared memory.
    static let beforeReading: [Pragma] = [
        Pragma(name: "locking_mode", value: "EXCLUSIVE", answer: "exclusive"),
        Pragma(name: "busy_timeout", value: "5000", answer: "5000"),
        Pragma(name: "trusted_schema", value: "OFF", answer: "0"),
        Pragma(name: "cell_size_check", value: "ON", answer: "1"),
        Pragma(name: "mmap_size", value: "0", answer: "0"),
        Pragma(name: "temp_store", value: "MEMORY", answer: "2"),
        Pragma(name: "cache_size", value: "-1024", answer: "-1024"),
    ]

    /// Those that durability rests on.
    static let beforeWriting: [Pragma] = [
        Pragma(name: "journal_mode", value: "WAL", answer: "wal"),
        Pragma(name: "synchronous", value: "FULL", answer: "2"),
        Pragma(name: "foreign_keys", value: "ON", answer: "1"),
        Pragma(name: "secure_delete", value: "ON", answer: "1"),
        Pragma(name: "wal_autocheckpoint", value: "1000", answer: "1000"),
        Pragma(name: "journal_size_limit", value: "67108864", answer: "67108864"),
    ]

    static func apply(
        _ pragmas: [Pragma], to connection: borrowing Connection
    ) throws(SQLiteError) {
        for pragma in pragmas {
            try connection.execute(
                "PRAGMA \(pragma.name) = \(pragma.value)", "set \(pragma.name)")
            let answer = try connection.text("PRAGMA \(pragma.name)")
            guard answer == pragma.answer else {
                throw SQLiteError(
                    code: SQLITE_ERROR, systemError: 0, operation: "verify \(pragma.name)")
            }
        }
    }
}
