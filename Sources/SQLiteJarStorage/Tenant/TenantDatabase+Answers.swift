// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// An answer that is to be kept for its key.
struct AnswerRow {
    let key: [UInt8]
    let fingerprint: [UInt8]
    let expires: Timestamp
    let body: [UInt8]

    init(key: WriteKey, body: [UInt8]) {
        self.key = key.key
        fingerprint = key.fingerprint
        expires = key.expires
        self.body = body
    }

    /// The row that a statement shows: key, fingerprint, expires, body, sealed.
    fileprivate init(_ row: borrowing Statement, _ sealing: TenantSealing) throws(SQLiteError) {
        let (key, fingerprint) = (try row.bytes(0), try row.bytes(1))
        let expires = Timestamp(milliseconds: try row.integer(2))
        let body = try row.bytes(3)
        (self.key, self.fingerprint, self.expires) = (key, fingerprint, expires)
        if try row.integer(4) != 0 {
            self.body = try sealing.open(body) { $0.append(answerTo: key, fingerprint, expires) }
        } else {
            try sealing.admitPlain()
            self.body = body
        }
    }
}

// The answers of writes that take effect once. A body may hold cookies, so it is sealed as a value is.
extension TenantDatabase {
    private static let columns = "key, fingerprint, expires, body, sealed"

    /// The answer that is kept for a key and has not expired.
    func answer(for key: WriteKey) throws(SQLiteError) -> KeptAnswer? {
        let statement = try connection.prepare(
            "SELECT \(Self.columns) FROM answer WHERE key = ?1 AND expires > ?2", isKept: false)
        try statement.bind(1, key.key)
        try statement.bind(2, key.at.milliseconds)
        guard try statement.step() else { return nil }
        let row = try AnswerRow(statement, sealing)
        return KeptAnswer(fingerprint: row.fingerprint, body: row.body)
    }

    /// Keeps an answer, as a part of a transaction; one that has expired gives way.
    func keep(_ answer: AnswerRow) throws(SQLiteError) {
        let sealed = try sealing.seal(answer.body) {
            $0.append(answerTo: answer.key, answer.fingerprint, answer.expires)
        }
        let statement = try connection.prepare(
            "INSERT OR REPLACE INTO answer (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5)",
            isKept: false)
        try statement.bind(1, answer.key)
        try statement.bind(2, answer.fingerprint)
        try statement.bind(3, answer.expires.milliseconds)
        try statement.bind(4, sealed ?? answer.body)
        try statement.bind(5, sealed == nil ? 0 : 1)
        try statement.run()
    }

    /// Drops answers that have expired, at most `limit` of them.
    func dropAnswers(expiredAt now: Timestamp, limit: Int64) throws(TransactionError) {
        do {
            let search = try connection.prepare(
                "SELECT 1 FROM answer WHERE expires <= ?1 LIMIT 1", isKept: false)
            try search.bind(1, now.milliseconds)
            guard try search.step() else { return }
        } catch {
            throw TransactionError(cause: error, isInDoubt: false)
        }
        try connection.transaction { () throws(SQLiteError) in
            let statement = try connection.prepare(
                """
                DELETE FROM answer WHERE id IN (
                    SELECT id FROM answer WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
                """, isKept: false)
            try statement.bind(1, now.milliseconds)
            try statement.bind(2, limit)
            try statement.run()
        }
    }

    /// Seals all answers anew that the key in use has not sealed; there are never more than a day's.
    ///
    /// One that does not open can answer nobody, and goes.
    func resealAnswers() throws(TransactionError) {
        var (rows, lost) = ([AnswerRow](), [Int64]())
        do {
            let statement = try connection.prepare(
                "SELECT \(Self.columns), id FROM answer", isKept: false)
            try statement.forEachRow { (row) throws(SQLiteError) in
                let (body, isSealed) = (try row.bytes(3), try row.integer(4) != 0)
                guard !isSealed || !sealing.isCurrent(body) else { return }
                if let readable = try readableAnswer(in: row) {
                    rows.append(readable)
                } else {
                    lost.append(try row.integer(5))
                }
            }
        } catch {
            throw TransactionError(cause: error, isInDoubt: false)
        }
        guard !rows.isEmpty || !lost.isEmpty else { return }
        let reservation = sealing.reservation(for: rows.count)
        try connection.transaction { () throws(SQLiteError) in
            if let reservation { try write(reservation) }
            for row in rows { try keep(row) }
            for id in lost {
                try connection.execute("DELETE FROM answer WHERE id = \(id)", "drop answer")
            }
        }
        sealing.note(reservation)
    }

    private func readableAnswer(in row: borrowing Statement) throws(SQLiteError) -> AnswerRow? {
        do throws(SQLiteError) {
            return try AnswerRow(row, sealing)
        } catch {
            guard error.isIntegrityFailure else { throw error }
            return nil
        }
    }
}
