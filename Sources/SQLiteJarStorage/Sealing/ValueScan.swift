// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Goes through the rows that hold a value, in the order of their keys: those of the log, and those of the keyed table.
struct ValueScan {
    /// A row with a value.
    struct Row<Key> {
        let key: Key
        let jar: JarID
        let store: StoreID
        /// The cookie; nil when its value does not open.
        let cookie: Cookie?
    }

    /// The key of a row of the keyed table.
    struct CookieKey {
        var jar: Int64 = .min
        var store: [UInt8] = []
        var domain: [UInt8] = []
        var name: [UInt8] = []
        var path: [UInt8] = []
        var scope: Int64 = .min
        var partitionKey: [UInt8] = []

        static let columns = "jar, store, \(IdentityColumns.names)"

        /// Before every other.
        init() {}

        init(_ row: borrowing Statement) throws(SQLiteError) {
            jar = try row.integer(0)
            store = try row.bytes(1)
            domain = try row.bytes(2)
            name = try row.bytes(3)
            path = try row.bytes(4)
            scope = try row.integer(5)
            partitionKey = try row.bytes(6)
        }

        /// Binds it to seven parameters.
        func bind(from first: Int32, to statement: Statement) throws(SQLiteError) {
            try statement.bind(first, jar)
            try statement.bind(first + 1, store)
            try statement.bind(first + 2, domain)
            try statement.bind(first + 3, name)
            try statement.bind(first + 4, path)
            try statement.bind(first + 5, scope)
            try statement.bind(first + 6, partitionKey)
        }
    }

    let connection: Connection
    let sealing: TenantSealing
    /// Whether rows that the key in use has sealed are passed over.
    let skipsCurrent: Bool
    /// The name of the jar with that number.
    let nameOfJar: (Int64) throws(SQLiteError) -> JarID?

    /// The rows of the log beyond a sequence, among the next `limit` of it.
    ///
    /// - Returns: the sequence of the last row that was looked at; nil at the end of the log.
    func log(
        after sequence: Int64, limit: Int64,
        _ visit: (Row<Int64>) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Int64? {
        let statement = try connection.prepare(ChangeRow.scan, isKept: false)
        try statement.bind(1, sequence)
        try statement.bind(2, limit)
        var last: Int64?
        try statement.forEachRow { (row) throws(SQLiteError) in
            let key = try row.integer(0)
            last = key
            guard ChangeRow.holdsValue(try row.integer(5)), try isWanted(row, ChangeRow.content)
            else { return }
            let sealing = try sealing(ofJar: try row.integer(1))
            let store = try store(try row.bytes(7))
            let cookie = try optional { () throws(SQLiteError) in
                try ChangeRow.cookie(in: row, of: store, sealing)
            }
            try visit(Row(key: key, jar: sealing.jar, store: store, cookie: cookie))
        }
        return last
    }

    /// The rows of the keyed table beyond a key, among the next `limit` that hold a cookie.
    ///
    /// - Returns: the key of the last row that was looked at; nil at the end of the table.
    func table(
        after key: CookieKey, limit: Int64,
        _ visit: (Row<CookieKey>) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> CookieKey? {
        let statement = try connection.prepare(Self.tableScan, isKept: false)
        try key.bind(from: 1, to: statement)
        try statement.bind(8, limit)
        var last: CookieKey?
        try statement.forEachRow { (row) throws(SQLiteError) in
            let key = try CookieKey(row)
            last = key
            let isLive = try row.integer(Self.live) != 0
            if isLive, try !isWanted(row, Self.content) { return }
            let sealing = try sealing(ofJar: key.jar)
            let store = try store(key.store)
            let cookie = try optional { () throws(SQLiteError) in
                guard isLive else { throw .integrity }
                return try ContentColumns.cookie(
                    try IdentityColumns.read(from: 2, in: row), in: store, sealing,
                    from: Self.content, in: row)
            }
            try visit(Row(key: key, jar: sealing.jar, store: store, cookie: cookie))
        }
        return last
    }

    private static let content: Int32 = 7
    private static let live = content + ContentColumns.count
    private static let tableScan = """
        SELECT \(CookieKey.columns), \(ContentColumns.names), live FROM cookie
        WHERE value IS NOT NULL AND (\(CookieKey.columns)) > (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ORDER BY \(CookieKey.columns) LIMIT ?8
        """

    private func isWanted(
        _ row: borrowing Statement, _ content: Int32
    ) throws(SQLiteError) -> Bool {
        guard skipsCurrent else { return true }
        return try !ContentColumns.isCurrent(sealing, from: content, in: row)
    }

    private func sealing(ofJar number: Int64) throws(SQLiteError) -> JarSealing {
        guard let jar = try nameOfJar(number) else { throw .undecodable("a jar without a name") }
        return JarSealing(sealing: sealing, jar: jar)
    }

    private func store(_ name: [UInt8]) throws(SQLiteError) -> StoreID {
        guard let store = StoreID(name) else { throw .undecodable("a store") }
        return store
    }

    private func optional(_ read: () throws(SQLiteError) -> Cookie) throws(SQLiteError) -> Cookie? {
        do {
            return try read()
        } catch {
            guard error.isIntegrityFailure else { throw error }
            return nil
        }
    }
}
