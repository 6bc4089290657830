// SPDX-License-Identifier: Apache-2.0

// Folding: the rows of the log move into the keyed tables, oldest first, a bounded number in one transaction. SQLite
// sorts them by key, so that rows which share a page are written together; of one cookie's rows the last wins.
// It is a cache of the log in another order: cut short, it is done again.
//
// When cookies of these jars were last used is written along with it.

import Cookies
import JarStorage

extension TenantDatabase {
    /// Folds at most `limit` rows of the log; false when there was nothing to do.
    ///
    /// `current` knows the newest state of a jar, if it is in memory.
    func fold(
        limit: Int, current: (JarID) -> JarState? = { _ in nil }
    ) throws(TransactionError) -> Bool {
        let last = min(lastSequence, foldedSequence + Int64(max(1, limit)))
        guard last > foldedSequence else { return false }
        try connection.transaction { () throws(SQLiteError) in
            for sql in Folding.statements {
                let statement = try connection.prepare(sql, isKept: false)
                try statement.bind(1, foldedSequence)
                try statement.bind(2, last)
                try statement.run()
            }
            let access = try connection.prepare(Self.access, isKept: false)
            for (jar, name) in try jars(through: last) {
                if let state = current(name) {
                    try writeAccesses(of: state, jar: jar, with: access)
                }
            }
        }
        retire(through: last)
        return true
    }

    /// The jars that have rows to be folded up to that sequence.
    private func jars(through last: Int64) throws(SQLiteError) -> [(Int64, JarID)] {
        let statement = try connection.prepare(
            "SELECT name FROM jar WHERE id = ?1", isKept: false)
        var jars: [(Int64, JarID)] = []
        for (number, jar) in tail.jars where (jar.sequences.first ?? .max) <= last {
            try statement.bind(1, number)
            if try statement.step(), let name = JarID(try statement.bytes(0)) {
                jars.append((number, name))
            }
            statement.reset()
        }
        return jars
    }
}

enum Folding {
    /// What is run, in this order, for the rows beyond ?1 up to ?2.
    static let statements = [newJars, jars, stores, cookies, jarChanges, position]

    private static let range = "sequence > ?1 AND sequence <= ?2"

    private static let newJars = """
        INSERT INTO jar (id, name, revision, created_at, present)
        SELECT jar, store, 0, at, present FROM change
        WHERE \(range) AND kind = 0 ORDER BY jar
        """

    /// The columns beside `max` are those of the row that has it.
    private static let jars = """
        UPDATE jar SET revision = newest.revision, present = newest.present
        FROM (
            SELECT jar, max(sequence), revision, present FROM change
            WHERE \(range) AND kind <> 0 GROUP BY jar
        ) AS newest
        WHERE jar.id = newest.jar
        """

    /// A cookie makes its store present; settings do so too; a deletion ends both.
    ///
    /// Of the cookies' rows only one that is a store's last can matter: what comes after one says the same, or more.
    private static let stores = """
        INSERT INTO store (jar, name, present, settings)
        SELECT jar, store, kind <> 6, settings FROM change
        WHERE \(range) AND (kind IN (5, 6) OR sequence IN (
            SELECT max(sequence) FROM change
            WHERE \(range) AND kind IN (1, 2, 5, 6) GROUP BY jar, store))
        ORDER BY jar, store, sequence
        ON CONFLICT (jar, name) DO UPDATE SET
            present = excluded.present,
            settings = CASE WHEN excluded.present = 0 THEN NULL
                ELSE coalesce(excluded.settings, settings) END
            WHERE present <> excluded.present OR excluded.settings IS NOT NULL
        """

    /// Most rows are of cookies that were set anew since: they are passed over, which halves what folding costs where
    /// the same cookies are set again and again.
    ///
    /// Their effect would be that of the row that follows, but for one thing: a cookie older than a tombstone that was
    /// meant drops it. So one whose content arose elsewhere (`version` is not `revision`) takes part; any other is newer
    /// than every tombstone before it.
    private static let cookies: String = {
        let live = ContentColumns.cookieNames.map { "\($0) = excluded.\($0)" }
        // The rule of `JarState.restore` for tombstones.
        let buried = ContentColumns.tombstoneNames.map { name in
            """
            \(name) = CASE
                WHEN excluded.live <> 0 THEN
                    CASE WHEN buried_travels <> 0 AND buried_revision < excluded.version
                    THEN \(name) END
                WHEN coalesce(buried_travels, 0) = 0
                    OR excluded.buried_travels <> 0
                        AND excluded.buried_revision > buried_revision
                THEN excluded.\(name)
                ELSE \(name) END
            """
        }
        return """
            INSERT INTO cookie (
                jar, store, live, \(IdentityColumns.names), \(ContentColumns.names))
            SELECT jar, store, kind IN (1, 2), \(IdentityColumns.names), \(ContentColumns.names)
            FROM change WHERE \(range) AND kind IN (1, 2, 3, 4) AND (
                kind IN (3, 4) OR version <> revision OR sequence IN (
                    SELECT max(sequence) FROM change
                    WHERE \(range) AND kind IN (1, 2, 3, 4)
                    GROUP BY jar, store, \(IdentityColumns.names)))
            ORDER BY jar, store, \(IdentityColumns.names), sequence
            ON CONFLICT (jar, store, domain, name, path, scope, partition_key) DO UPDATE SET
                live = excluded.live, \((live + buried).joined(separator: ", "))
            """
    }()

    private static let jarChanges = """
        INSERT INTO jar_change (jar, revision, sequence)
        SELECT jar, revision, sequence FROM change
        WHERE \(range) AND kind <> 0 ORDER BY jar, revision
        """

    private static let position = "UPDATE fold SET sequence = ?2 WHERE sequence = ?1"
}
