// SPDX-License-Identifier: Apache-2.0

// Tombstones that nothing needs any more. One stands against older copies of its cookie, so it is spent when no store of
// the jar has one: what is stored from then on is newer. Copies are looked for by name and path, not by the whole
// identity, as a rewrite brings them from one domain to another. Where a cookie only lapsed, the tombstone tells a
// mirror so; that is remembered for as long as the feed tells of it.
//
// A jar of which something is not folded yet is left for later: rows of its cookies that others follow are in no table.

import Cookies
import JarStorage

extension TenantDatabase {
    /// Drops at most `limit` spent tombstones from before `time` of the jars numbered above `number`, at most `count`
    /// numbers on; answers which jars had them.
    func dropTombstones(
        above number: Int64, count: Int64, before time: Timestamp, limit: Int64,
        sparing isBusy: (JarID) -> Bool
    ) throws(TransactionError) -> Set<JarID> {
        let spent: [SpentTombstone]
        do {
            spent = try spentTombstones(above: number, count: count, before: time, limit: limit)
                .filter { !isBusy($0.jar) && tail.jars[$0.number] == nil }
        } catch {
            throw TransactionError(cause: error, isInDoubt: false)
        }
        guard !spent.isEmpty else { return [] }
        try connection.transaction { () throws(SQLiteError) in
            let delete = try connection.prepare(
                "DELETE FROM cookie \(Self.place) AND live = 0", isKept: false)
            let clear = try connection.prepare(
                "UPDATE cookie SET \(Self.nothing) \(Self.place)", isKept: false)
            for tombstone in spent {
                for statement in [delete, clear] {
                    try statement.bind(1, tombstone.number)
                    try statement.bind(2, tombstone.store)
                    try IdentityColumns.bind(tombstone.identity, from: 3, to: statement)
                    try statement.run()
                }
            }
        }
        return Set(spent.map(\.jar))
    }

    private struct SpentTombstone {
        let number: Int64
        let jar: JarID
        let store: [UInt8]
        let identity: CookieIdentity
    }

    private func spentTombstones(
        above number: Int64, count: Int64, before time: Timestamp, limit: Int64
    ) throws(SQLiteError) -> [SpentTombstone] {
        let statement = try connection.prepare(Self.spent, isKept: false)
        try statement.bind(1, number)
        try statement.bind(2, number + count)
        try statement.bind(3, time.milliseconds)
        try statement.bind(4, limit)
        var found: [SpentTombstone] = []
        try statement.forEachRow { (row) throws(SQLiteError) in
            guard let jar = JarID(try row.bytes(1)) else { throw .undecodable("a jar") }
            found.append(
                SpentTombstone(
                    number: try row.integer(0), jar: jar, store: try row.bytes(2),
                    identity: try IdentityColumns.read(from: 3, in: row)))
        }
        return found
    }

    private static let spent = """
        SELECT jar.id, jar.name, store, domain, cookie.name, path, scope, partition_key
        FROM jar JOIN cookie ON cookie.jar = jar.id
        WHERE jar.id > ?1 AND jar.id <= ?2 AND buried_at < ?3 AND NOT EXISTS (
            SELECT 1 FROM cookie AS copy
            WHERE copy.jar = cookie.jar AND copy.live <> 0 AND copy.name = cookie.name
                AND copy.path = cookie.path AND copy.version <= cookie.buried_revision)
        LIMIT ?4
        """

    private static let place =
        "WHERE jar = ?1 AND store = ?2 AND (\(IdentityColumns.names)) = (?3, ?4, ?5, ?6, ?7)"

    private static let nothing = ContentColumns.tombstoneNames.map { "\($0) = NULL" }
        .joined(separator: ", ")
}
