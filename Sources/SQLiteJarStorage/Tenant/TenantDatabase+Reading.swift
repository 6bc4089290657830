// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// A jar as it was loaded.
struct LoadedJar {
    /// Its number; nil when nobody has written to it.
    var number: Int64?
    var state: JarState
}

extension TenantDatabase {
    /// Loads a jar: its folded rows in one range of each table, then what is not folded yet.
    func load(_ jar: JarID) throws(SQLiteError) -> LoadedJar {
        guard var loaded = try loadHead(jar) else {
            return LoadedJar(number: nil, state: .empty)
        }
        guard let number = loaded.number else { return loaded }
        try loadStores(of: number, into: &loaded.state)
        let sealing = sealing(of: jar)
        try loadCookies(of: number, sealing, into: &loaded.state)
        for row in tail.jars[number]?.rows ?? [] {
            let change = try self.change(row.sequence, sealing)
            guard change.revision > loaded.state.revision else {
                throw .undecodable("a change out of order")
            }
            loaded.state.apply(change)
        }
        return loaded
    }

    /// The number of a jar; nil when nobody has written to it.
    func number(of jar: JarID) throws(SQLiteError) -> Int64? {
        try loadHead(jar)?.number
    }

    /// The number of a jar and its revision as of the fold; nil when nobody has written to it.
    func position(of jar: JarID) throws(SQLiteError) -> (number: Int64, folded: Revision)? {
        guard let head = try loadHead(jar), let number = head.number else { return nil }
        return (number, head.state.revision)
    }

    /// One page of the jars that exist, by name.
    func list(after: JarID?, limit: Int) throws(SQLiteError) -> [JarSummary] {
        var new = tail.newJars.filter { name, jar in
            (after.map { $0 < name } ?? true) && tail.jars[jar.number]?.isPresent == true
        }
        .map { JarSummary(jar: $0.key, revision: tail.jars[$0.value.number]?.revision ?? .zero) }
        .sorted { $0.jar > $1.jar }
        var page: [JarSummary] = []
        let statement = statements.listJars
        defer { statement.reset() }
        try statement.bind(1, after?.bytes ?? [])
        while page.count < limit, try statement.step() {
            guard let summary = try summary(in: statement) else { continue }
            while page.count < limit, let next = new.last, next.jar < summary.jar {
                page.append(next)
                new.removeLast()
            }
            if page.count < limit { page.append(summary) }
        }
        page += new.reversed().prefix(limit - page.count)
        return page
    }

    /// How many jars exist for clients, and how many octets the database takes.
    ///
    /// - Complexity: O(n) in the jars.
    func usage() throws(SQLiteError) -> TenantUsage {
        var jars = Int(try connection.integer("SELECT count(*) FROM jar WHERE present <> 0"))
        let folded = try connection.prepare(
            "SELECT present FROM jar WHERE id = ?1", isKept: false)
        for (number, jar) in tail.jars {
            try folded.bind(1, number)
            let wasPresent = try folded.step() ? try folded.integer(0) != 0 : false
            folded.reset()
            jars += (jar.isPresent ? 1 : 0) - (wasPresent ? 1 : 0)
        }
        let pages = try connection.integer("PRAGMA page_count")
        let bytes = pages.multipliedReportingOverflow(
            by: try connection.integer("PRAGMA page_size"))
        return TenantUsage(jars: jars, bytes: Int(bytes.overflow ? .max : bytes.partialValue))
    }

    /// The jar in the list's row as the log leaves it; nil when it does not exist for clients.
    private func summary(in row: Statement) throws(SQLiteError) -> JarSummary? {
        guard let name = JarID(try row.bytes(1)) else { throw .undecodable("a jar") }
        if let jar = tail.jars[try row.integer(0)] {
            return jar.isPresent ? JarSummary(jar: name, revision: jar.revision) : nil
        }
        guard try row.integer(3) != 0 else { return nil }
        let revision = Revision(rawValue: UInt64(bitPattern: try row.integer(2)))
        return JarSummary(jar: name, revision: revision)
    }

    private func loadHead(_ jar: JarID) throws(SQLiteError) -> LoadedJar? {
        if let new = tail.newJars[jar] {
            return LoadedJar(number: new.number, state: .empty)
        }
        let statement = statements.selectJar
        defer { statement.reset() }
        try statement.bind(1, jar.bytes)
        guard try statement.step() else { return nil }
        let revision = Revision(rawValue: UInt64(bitPattern: try statement.integer(1)))
        let createdAt = Timestamp(milliseconds: try statement.integer(2))
        return LoadedJar(
            number: try statement.integer(0),
            state: JarState(revision: revision, createdAt: createdAt))
    }

    private func loadStores(
        of number: Int64, into state: inout JarState
    ) throws(SQLiteError) {
        let statement = statements.selectStores
        try statement.bind(1, number)
        try statement.forEachRow { (row) throws(SQLiteError) in
            let settings = try row.optionalBytes(2)
            state.restore(
                try settings.map { (bytes) throws(SQLiteError) in try StoredSettings.decode(bytes) }
                    ?? StoreSettings(),
                isPresent: try row.integer(1) != 0, of: try store(try row.bytes(0)))
        }
    }

    private func loadCookies(
        of number: Int64, _ sealing: JarSealing, into state: inout JarState
    ) throws(SQLiteError) {
        var cookies: [StoreID: [Cookie]] = [:]
        let statement = statements.selectCookies
        try statement.bind(1, number)
        try statement.forEachRow { (row) throws(SQLiteError) in
            let store = try store(try row.bytes(0))
            let identity = try IdentityColumns.read(from: 2, in: row)
            if let tombstone = try ContentColumns.tombstone(from: 7, in: row) {
                state.restore(tombstone, of: identity, in: store)
            }
            guard try row.integer(1) != 0 else {
                // What is gone has no value; a flag that fell over is no deletion.
                guard row.isNull(7) else { throw .integrity }
                return
            }
            cookies[store, default: []].append(
                try ContentColumns.cookie(identity, in: store, sealing, from: 7, in: row))
        }
        for (store, cookies) in cookies { state.restore(cookies, in: store) }
    }

    /// The change in that row of the log.
    func change(_ sequence: Int64, _ sealing: JarSealing) throws(SQLiteError) -> Change {
        let statement = statements.selectChange
        defer { statement.reset() }
        try statement.bind(1, sequence)
        guard try statement.step() else { throw .undecodable("a change that is missing") }
        return try ChangeRow.change(in: statement, sealing)
    }

    private func store(_ name: [UInt8]) throws(SQLiteError) -> StoreID {
        guard let store = StoreID(name) else { throw .undecodable("a store") }
        return store
    }
}
