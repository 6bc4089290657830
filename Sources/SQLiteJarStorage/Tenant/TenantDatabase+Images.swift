// SPDX-License-Identifier: Apache-2.0

// A jar taken out and put in as it is. What is put in stands in the keyed tables at once, as if it had been folded; its
// changes take the next numbers of the tenant's log, in their order, so the oldest of all the tenant's are not
// necessarily first.

import Cookies
import JarStorage

extension TenantDatabase {
    /// Every jar that has been written to, by name.
    func jarNames() throws(SQLiteError) -> [JarID] {
        var names = Set(tail.newJars.keys)
        let statement = try connection.prepare("SELECT name FROM jar", isKept: false)
        try statement.forEachRow { (row) throws(SQLiteError) in
            guard let name = JarID(try row.bytes(0)) else { throw .undecodable("a jar") }
            names.insert(name)
        }
        return names.sorted()
    }

    /// All that is kept of a jar.
    func image(of jar: JarID) throws(SQLiteError) -> JarImage {
        let floor = try changes(of: jar, since: .zero, limit: 0).floor
        return JarImage(
            state: try load(jar).state, floor: floor,
            changes: try changes(of: jar, since: floor, limit: .max).changes)
    }

    /// The records as they lie there.
    func recordImage() throws(SQLiteError) -> RecordImage {
        RecordImage(revision: records.revision, records: try Self.loadRecordRows(connection))
    }

    /// Keeps a jar that is not there.
    func put(_ image: JarImage, as jar: JarID) throws(TransactionError) {
        try foldAll()
        let number = lastJar + 1
        let reservation = sealing.reservation(
            for: image.changes.count + image.state.stores.reduce(0) { $0 + $1.value.cookies.count })
        // One more than there are changes: for the row that would have named the jar.
        let first = lastSequence + 2
        let last = lastSequence + 1 + Int64(image.changes.count)
        try connection.transaction { () throws(SQLiteError) in
            if let reservation { try write(reservation) }
            try putHead(image, jar, number)
            for (store, content) in image.state.stores {
                try putStore(store, content, number)
                try putCookies(store, content, jar, number)
            }
            try putChanges(image, jar, number, from: first)
            let position = try connection.prepare("UPDATE fold SET sequence = ?1", isKept: false)
            try position.bind(1, last)
            try position.run()
        }
        sealing.note(reservation)
        moveOn(to: LogEnd(sequence: last, jar: number))
    }

    /// Keeps the records of a tenant that has none.
    func put(_ image: RecordImage) throws(TransactionError) {
        let state: TenantState
        do {
            state = try TenantState(revision: image.revision, records: image.records)
        } catch {
            throw TransactionError(cause: .undecodable("a record"), isInDoubt: false)
        }
        try commit([], TenantCommit(changes: image.records.map { .put($0) }, state: state))
    }

    private func putHead(
        _ image: JarImage, _ jar: JarID, _ number: Int64
    ) throws(SQLiteError) {
        let head = try connection.prepare(
            """
            INSERT INTO jar (id, name, revision, floor, created_at, present)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, isKept: false)
        try head.bind(1, number)
        try head.bind(2, jar.bytes)
        try head.bind(3, Int64(bitPattern: image.state.revision.rawValue))
        try head.bind(4, Int64(bitPattern: image.floor.rawValue))
        try head.bind(5, image.state.createdAt?.milliseconds ?? 0)
        try head.bind(6, image.state.isPresent ? 1 : 0)
        try head.run()
    }

    private func putStore(
        _ store: StoreID, _ content: StoreState, _ number: Int64
    ) throws(SQLiteError) {
        let row = try connection.prepare(
            "INSERT INTO store (jar, name, present, settings) VALUES (?1, ?2, ?3, ?4)",
            isKept: false)
        try row.bind(1, number)
        try row.bind(2, store.bytes)
        try row.bind(3, content.isPresent ? 1 : 0)
        try row.bind(4, StoredSettings.encode(content.settings))
        try row.run()
    }

    /// A row for each cookie that is held or has a tombstone.
    private func putCookies(
        _ store: StoreID, _ content: StoreState, _ jar: JarID, _ number: Int64
    ) throws(SQLiteError) {
        var identities = Set(content.tombstones.keys)
        content.cookies.forEach { identities.insert($0.identity) }
        let parameters = (1...21).map { "?\($0)" }.joined(separator: ", ")
        let row = try connection.prepare(
            """
            INSERT INTO cookie (jar, store, live, \(IdentityColumns.names), \(ContentColumns.names))
            VALUES (\(parameters))
            """, isKept: false)
        for identity in identities {
            let cookie = content.cookies[identity]
            try row.bind(1, number)
            try row.bind(2, store.bytes)
            try row.bind(3, cookie == nil ? 0 : 1)
            try IdentityColumns.bind(identity, from: 4, to: row)
            if let cookie {
                try ContentColumns.bind(cookie, in: store, sealing(of: jar), from: 9, to: row)
            }
            if let tombstone = content.tombstones[identity] {
                try ContentColumns.bind(tombstone, from: 9, to: row)
            }
            try row.run()
        }
    }

    private func putChanges(
        _ image: JarImage, _ jar: JarID, _ number: Int64, from first: Int64
    ) throws(SQLiteError) {
        let index = try connection.prepare(ChangeRun.insertion, isKept: false)
        var rows: [UnfoldedJar.Row] = []
        for (offset, change) in image.changes.enumerated() {
            let position = ChangeRow.Position(
                sequence: first + Int64(offset), jar: number, isPresent: image.state.isPresent)
            try Self.insert(change, position, sealing(of: jar), with: statements)
            rows.append(
                UnfoldedJar.Row(sequence: position.sequence, revision: change.revision))
        }
        try ChangeRun.insert(rows[...], of: number, with: index)
    }
}
