// SPDX-License-Identifier: Apache-2.0

// When cookies were last used. Reads note it in memory, and no read is worth a sync of its own: it is written along with
// what is folded, once in a while by the sweep, and when the storage is closed. What is lost with the process costs
// eviction some precision, nothing else.

import Cookies
import JarStorage

extension TenantDatabase {
    /// Writes the last accesses of these jars, in one transaction.
    func writeAccesses(of jars: [(jar: JarID, state: JarState)]) throws(TransactionError) {
        let jars = jars.filter(\.state.hasAccesses)
        guard !jars.isEmpty else { return }
        try connection.transaction { () throws(SQLiteError) in
            let statement = try connection.prepare(Self.access, isKept: false)
            for (jar, state) in jars {
                guard let number = try number(of: jar) else { continue }
                try writeAccesses(of: state, jar: number, with: statement)
            }
        }
    }

    /// Writes the last accesses that came after the rows, by `access`, at most `limit`.
    ///
    /// A cookie that is not folded yet has none.
    ///
    /// - Returns: How many it wrote.
    @discardableResult
    func writeAccesses(
        of state: JarState, jar: Int64, limit: Int = .max, with statement: Statement
    ) throws(SQLiteError) -> Int {
        var accesses: [(StoreID, CookieIdentity, Timestamp)] = []
        for (store, content) in state.stores {
            content.cookies.forEachAccess { accesses.append((store, $0, $1)) }
        }
        let written = accesses.prefix(limit)
        for (store, identity, time) in written {
            try statement.bind(1, jar)
            try statement.bind(2, store.bytes)
            try statement.bind(3, time.milliseconds)
            try IdentityColumns.bind(identity, from: 4, to: statement)
            try statement.run()
        }
        return written.count
    }

    /// The jars numbered above `number`, at most `count` numbers on, that are folded.
    func jars(above number: Int64, count: Int64) throws(SQLiteError) -> [JarID] {
        let statement = try connection.prepare(
            "SELECT name FROM jar WHERE id > ?1 AND id <= ?2", isKept: false)
        try statement.bind(1, number)
        try statement.bind(2, number + count)
        var jars: [JarID] = []
        try statement.forEachRow { (row) throws(SQLiteError) in
            guard let jar = JarID(try row.bytes(0)) else { throw .undecodable("a jar") }
            jars.append(jar)
        }
        return jars
    }

    /// Parameters: jar, store, time, and the identity.
    static let access = """
        UPDATE cookie SET last_access = ?3
        WHERE jar = ?1 AND store = ?2 AND live <> 0 AND last_access < ?3
            AND (\(IdentityColumns.names)) = (?4, ?5, ?6, ?7, ?8)
        """
}

extension JarState {
    /// Whether a cookie was used since it was stored, or loaded.
    var hasAccesses: Bool {
        stores.contains { store in
            var isUsed = false
            store.value.cookies.forEachAccess { _, _ in isUsed = true }
            return isUsed
        }
    }
}
