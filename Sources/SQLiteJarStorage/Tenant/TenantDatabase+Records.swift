// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// The changes of a tenant's records that are to be committed.
struct TenantCommit {
    let changes: [TenantChange]
    /// The records afterwards.
    let state: TenantState
}

extension TenantDatabase {
    /// Loads the tenant's records.
    static func loadRecords(_ connection: Connection) throws(SQLiteError) -> TenantState {
        let revision = try connection.integer("SELECT revision FROM tenant")
        guard revision > 0 else { return .empty }
        let records = try loadRecordRows(connection)
        do {
            return try TenantState(
                revision: Revision(rawValue: UInt64(bitPattern: revision)), records: records)
        } catch {
            throw .undecodable("a record")
        }
    }

    /// The records' rows, in any order.
    static func loadRecordRows(_ connection: Connection) throws(SQLiteError) -> [TenantRecord] {
        var records: [TenantRecord] = []
        try connection.prepare("SELECT kind, name, body FROM record", isKept: false)
            .forEachRow { (row) throws(SQLiteError) in
                guard let kind = TenantRecordKind(rawValue: try row.octet(0)) else {
                    throw .undecodable("a record")
                }
                records.append(
                    TenantRecord(kind: kind, name: try row.bytes(1), body: try row.bytes(2)))
            }
        return records
    }

    /// Writes the changes of the records, as a part of a transaction.
    func write(_ commit: TenantCommit) throws(SQLiteError) {
        let put = try connection.prepare(
            "INSERT OR REPLACE INTO record (kind, name, body) VALUES (?1, ?2, ?3)", isKept: false)
        let remove = try connection.prepare(
            "DELETE FROM record WHERE kind = ?1 AND name = ?2", isKept: false)
        for change in commit.changes {
            switch change {
            case .put(let record):
                try put.bind(1, Int64(record.kind.rawValue))
                try put.bind(2, record.name)
                try put.bind(3, record.body)
                try put.run()
            case .removed(let kind, let name):
                try remove.bind(1, Int64(kind.rawValue))
                try remove.bind(2, name)
                try remove.run()
            }
        }
        let position = try connection.prepare("UPDATE tenant SET revision = ?1", isKept: false)
        try position.bind(1, Int64(bitPattern: commit.state.revision.rawValue))
        try position.run()
    }
}
