// SPDX-License-Identifier: Apache-2.0

// Sealing what is there with the key in use, a bounded number of rows in one transaction: first the log, then the keyed
// table. Folding only moves values from the one to the other as they are, so what is folded meanwhile has been sealed
// anew already. Nothing of the progress is written down: a row shows by itself which key sealed it.

import Cookies
import JarStorage

/// How far a pass over the values has come.
struct ResealPosition {
    enum Stage {
        case log(after: Int64)
        case table(after: ValueScan.CookieKey)
        case done
    }

    static let start = ResealPosition()

    var stage = Stage.log(after: .min)
    /// How many values did not open.
    var unreadable = 0
}

/// What one step of sealing anew came to.
enum ResealStep: Hashable, Sendable {
    /// There is more to do.
    case more
    /// Everything is sealed with the key in use.
    case done
    /// All but values that do not open, which stay as they are.
    case unreadable
}

extension TenantDatabase {
    /// Seals the values of at most `limit` rows anew; true when the pass is at its end.
    func reseal(limit: Int64) throws(TransactionError) -> Bool {
        do {
            switch resealing.stage {
            case .log(let sequence):
                if let last = try resealLog(after: sequence, limit: limit) {
                    resealing.stage = .log(after: last)
                } else {
                    resealing.stage = .table(after: ValueScan.CookieKey())
                }
            case .table(let key):
                if let last = try resealTable(after: key, limit: limit) {
                    resealing.stage = .table(after: last)
                } else {
                    try resealAnswers()
                    resealing.stage = .done
                }
            case .done: return true
            }
        } catch let error as SQLiteError {
            throw TransactionError(cause: error, isInDoubt: false)
        } catch let error as TransactionError {
            throw error
        } catch {
            throw TransactionError(cause: .integrity, isInDoubt: false)
        }
        if case .done = resealing.stage { return true }
        return false
    }

    private func resealLog(after sequence: Int64, limit: Int64) throws -> Int64? {
        var rows: [ValueScan.Row<Int64>] = []
        let last = try scan.log(after: sequence, limit: limit) { rows.append($0) }
        try update(
            rows, "UPDATE change SET value = ?1, attributes = ?2 WHERE sequence = ?3"
        ) { (sequence, statement) throws(SQLiteError) in try statement.bind(3, sequence) }
        return last
    }

    private func resealTable(
        after key: ValueScan.CookieKey, limit: Int64
    ) throws -> ValueScan.CookieKey? {
        var rows: [ValueScan.Row<ValueScan.CookieKey>] = []
        let last = try scan.table(after: key, limit: limit) { rows.append($0) }
        try update(
            rows,
            """
            UPDATE cookie SET value = ?1, attributes = ?2
            WHERE (\(ValueScan.CookieKey.columns)) = (?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        ) { (key, statement) throws(SQLiteError) in try key.bind(from: 3, to: statement) }
        return last
    }

    private var scan: ValueScan {
        let new = Dictionary(
            tail.newJars.map { ($0.value.number, $0.key) }, uniquingKeysWith: { first, _ in first })
        return ValueScan(connection: connection, sealing: sealing, skipsCurrent: true) {
            [connection] (number) throws(SQLiteError) in
            if let name = new[number] { return name }
            let statement = try connection.prepare(
                "SELECT name FROM jar WHERE id = ?1", isKept: false)
            try statement.bind(1, number)
            return try statement.step() ? JarID(try statement.bytes(0)) : nil
        }
    }

    private func update<Key>(
        _ rows: [ValueScan.Row<Key>], _ sql: String,
        bindKey: (Key, Statement) throws(SQLiteError) -> Void
    ) throws {
        let readable = rows.compactMap { row in row.cookie.map { (row, $0) } }
        resealing.unreadable += rows.count - readable.count
        guard !readable.isEmpty else { return }
        let reservation = sealing.reservation(for: readable.count)
        try connection.transaction { () throws(SQLiteError) in
            if let reservation { try write(reservation) }
            let statement = try connection.prepare(sql, isKept: false)
            for (row, cookie) in readable {
                try ContentColumns.bindValue(
                    of: cookie, in: row.store, sealing(of: row.jar), from: 1, to: statement)
                try bindKey(row.key, statement)
                try statement.run()
            }
        }
        sealing.note(reservation)
    }
}
