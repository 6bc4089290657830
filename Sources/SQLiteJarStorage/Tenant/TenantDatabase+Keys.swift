// SPDX-License-Identifier: Apache-2.0

// The tenant's data keys: rows of `data_key`, wrapped by the master key.

import Cookies
import JarStorage
import Sealing

/// Why a tenant's values cannot be opened at all.
enum SealingFault: Hashable, Sendable {
    /// They are sealed, and the directory's are not.
    case unexpected
    /// They are not sealed, and the directory's all are.
    case absent
    /// Another master key wrapped the tenant's keys, or they were changed.
    case keys(SealingError)
}

extension TenantDatabase {
    /// Reads the tenant's keys.
    static func readKeys(
        _ connection: Connection, of folder: TenantFolder, _ directory: DirectorySealing,
        isEmpty: Bool
    ) throws(TenantOpenError) -> TenantSealing {
        let tenant = Array(folder.name.utf8)
        let sealing = TenantSealing(directory, tenant: tenant)
        let rows: [KeyRow]
        do {
            rows = try KeyRow.all(connection)
        } catch {
            throw TenantOpenError(error)
        }
        guard let ring = directory.keys else {
            guard rows.isEmpty else { throw .sealed(.unexpected) }
            return sealing
        }
        if rows.isEmpty {
            guard isEmpty || directory.acceptsPlain else { throw .sealed(.absent) }
        }
        do {
            sealing.take(
                try rows.map { (row) throws(SealingError) in try row.unwrap(ring, tenant) })
        } catch {
            throw .sealed(.keys(error))
        }
        return sealing
    }

    /// Gives the tenant a key of its own when the directory's sealing was turned on, wraps the keys anew when its master
    /// key has changed, and begins a new key in either case or when it is time for one.
    func updateKeys(_ now: Timestamp) throws(TransactionError) {
        guard let ring = sealing.directory.keys, sealing.isBehind || sealing.isDue(now) else {
            return
        }
        var keys = sealing.keys
        let isComplete = keys.last?.isComplete ?? (lastSequence == 0)
        do {
            let id = (keys.last?.key.id ?? 0).addingReportingOverflow(1)
            guard !id.overflow else { throw SealingError.malformed }
            for index in keys.indices { keys[index].masterKey = ring.current.id }
            keys.append(
                TenantSealing.StoredKey(
                    key: try DataKey(id: id.partialValue, try KeyBytes.random()),
                    masterKey: ring.current.id, createdAt: now, isComplete: isComplete,
                    reservedSeals: 0))
            try replaceKeys(try keys.map { try KeyRow($0, ring, sealing.tenant) })
        } catch let error as SealingError {
            throw TransactionError(cause: SQLiteError(error), isInDoubt: false)
        } catch let error as TransactionError {
            throw error
        } catch {
            throw TransactionError(cause: .integrity, isInDoubt: false)
        }
        sealing.take(keys)
        resealing = .start
    }

    /// Says that the key in use has sealed everything; the keys before it are destroyed.
    func completeKeys() throws(TransactionError) {
        guard let ring = sealing.directory.keys, var key = sealing.active else { return }
        key.isComplete = true
        do {
            try replaceKeys([try KeyRow(key, ring, sealing.tenant)])
        } catch let error as TransactionError {
            throw error
        } catch {
            throw TransactionError(cause: .integrity, isInDoubt: false)
        }
        sealing.take([key])
    }

    /// Writes down how often the key in use may have sealed.
    func write(_ reservation: (key: UInt32, seals: Int64)) throws(SQLiteError) {
        let statement = try connection.prepare(
            "UPDATE data_key SET seals = ?2 WHERE id = ?1", isKept: false)
        try statement.bind(1, Int64(reservation.key))
        try statement.bind(2, reservation.seals)
        try statement.run()
    }

    private func replaceKeys(_ rows: [KeyRow]) throws(TransactionError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute("DELETE FROM data_key", "drop keys")
            for row in rows { try row.insert(connection) }
        }
    }
}

/// A row of `data_key`.
private struct KeyRow {
    let id: Int64
    let createdAt: Timestamp
    let isComplete: Bool
    let seals: Int64
    let wrapped: [UInt8]

    init(
        _ stored: TenantSealing.StoredKey, _ ring: KeyRing, _ tenant: [UInt8]
    ) throws(SealingError) {
        id = Int64(stored.key.id)
        createdAt = stored.createdAt
        isComplete = stored.isComplete
        seals = stored.reservedSeals
        wrapped = try ring.current.wrap(
            stored.key, context: Self.context(tenant, stored.isComplete, stored.createdAt))
    }

    private init(_ row: borrowing Statement) throws(SQLiteError) {
        id = try row.integer(0)
        createdAt = Timestamp(milliseconds: try row.integer(1))
        isComplete = try row.integer(2) != 0
        seals = try row.integer(3)
        wrapped = try row.bytes(4)
    }

    static func all(_ connection: Connection) throws(SQLiteError) -> [KeyRow] {
        let statement = try connection.prepare(
            "SELECT id, created_at, complete, seals, wrapped FROM data_key ORDER BY id",
            isKept: false)
        var rows: [KeyRow] = []
        try statement.forEachRow { (row) throws(SQLiteError) in rows.append(try KeyRow(row)) }
        return rows
    }

    func insert(_ connection: Connection) throws(SQLiteError) {
        let statement = try connection.prepare(
            """
            INSERT INTO data_key (id, created_at, complete, seals, wrapped)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """, isKept: false)
        try statement.bind(1, id)
        try statement.bind(2, createdAt.milliseconds)
        try statement.bind(3, isComplete ? 1 : 0)
        try statement.bind(4, seals)
        try statement.bind(5, wrapped)
        try statement.run()
    }

    func unwrap(
        _ ring: KeyRing, _ tenant: [UInt8]
    ) throws(SealingError) -> TenantSealing.StoredKey {
        guard let master = MasterKey.id(of: wrapped).flatMap(ring.key) else { throw .unknownKey }
        let key = try master.unwrap(
            wrapped, context: Self.context(tenant, isComplete, createdAt))
        guard Int64(key.id) == id else { throw .forged }
        return TenantSealing.StoredKey(
            key: key, masterKey: master.id, createdAt: createdAt, isComplete: isComplete,
            reservedSeals: seals)
    }

    /// What a key is wrapped with: its tenant, and what must not be changed beside it.
    private static func context(
        _ tenant: [UInt8], _ isComplete: Bool, _ createdAt: Timestamp
    ) -> [UInt8] {
        Array("cookiesync data key 1 \(isComplete) \(createdAt.milliseconds) ".utf8) + tenant
    }
}
