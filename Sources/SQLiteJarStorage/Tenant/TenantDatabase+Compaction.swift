// SPDX-License-Identifier: Apache-2.0

// What happens to a tenant in the course of time: cookies expire, and the oldest of the log is dropped.

import Cookies
import JarStorage

extension TenantDatabase {
    /// The jars numbered above `number`, at most `count` numbers on, that hold a cookie whose time has come.
    ///
    /// A jar that is not folded yet is not seen.
    func jarsWithExpiredCookies(
        above number: Int64, count: Int64, now: Timestamp
    ) throws(SQLiteError) -> [JarID] {
        let statement = try connection.prepare(
            """
            SELECT name FROM jar WHERE id > ?1 AND id <= ?2 AND EXISTS (
                SELECT 1 FROM cookie
                WHERE cookie.jar = jar.id AND live <> 0 AND expires <= ?3)
            """, isKept: false)
        try statement.bind(1, number)
        try statement.bind(2, number + count)
        try statement.bind(3, now.milliseconds)
        var jars: [JarID] = []
        try statement.forEachRow { (row) throws(SQLiteError) in
            guard let jar = JarID(try row.bytes(0)) else { throw .undecodable("a jar") }
            jars.append(jar)
        }
        return jars
    }

    /// Drops the oldest changes of the log, at most `limit` of them.
    ///
    /// Those go that are folded and either came before `time` or are not among the newest `count`. The floor of each
    /// jar says what its feed no longer has. False when there was nothing to drop.
    func compact(
        before time: Timestamp, keeping count: Int64, limit: Int64
    ) throws(TransactionError) -> Bool {
        let last: Int64?
        do {
            last = try lastToDrop(before: time, keeping: count, limit: limit)
        } catch {
            throw TransactionError(cause: error, isInDoubt: false)
        }
        guard let last else { return false }
        try connection.transaction { () throws(SQLiteError) in
            for sql in Self.compaction {
                let statement = try connection.prepare(sql, isKept: false)
                try statement.bind(1, last)
                try statement.run()
            }
        }
        return true
    }

    /// The changes lie in the order of their sequence; the first that is to stay ends the search.
    private func lastToDrop(
        before time: Timestamp, keeping count: Int64, limit: Int64
    ) throws(SQLiteError) -> Int64? {
        let statement = try connection.prepare(
            "SELECT sequence, at FROM change WHERE sequence <= ?1 ORDER BY sequence LIMIT ?2",
            isKept: false)
        try statement.bind(1, foldedSequence)
        try statement.bind(2, limit)
        var last: Int64?
        while try statement.step() {
            let sequence = try statement.integer(0)
            let isOld = try statement.integer(1) < time.milliseconds
            guard isOld || sequence <= lastSequence - count else { break }
            last = sequence
        }
        return last
    }

    private static let compaction = [
        """
        UPDATE jar SET floor = max(floor, dropped.revision)
        FROM (
            SELECT jar, max(revision) AS revision FROM change WHERE sequence <= ?1 GROUP BY jar
        ) AS dropped
        WHERE jar.id = dropped.jar
        """,
        """
        DELETE FROM jar_change WHERE (jar, revision) IN (
            SELECT jar, revision FROM change WHERE sequence <= ?1 AND kind <> 0)
        """,
        "DELETE FROM change WHERE sequence <= ?1",
    ]
}
