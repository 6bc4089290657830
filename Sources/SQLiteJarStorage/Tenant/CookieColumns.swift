// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// The columns that identify a cookie.
enum IdentityColumns {
    static let names = "domain, name, path, scope, partition_key"
    /// Those of the log, in a query of more tables.
    static let qualifiedNames = "domain, change.name, path, scope, partition_key"

    private static let hostOnly: Int64 = 1
    private static let partitioned: Int64 = 2

    /// Binds an identity to the parameters from `first` on.
    static func bind(
        _ identity: CookieIdentity, from first: Int32, to statement: Statement
    ) throws(SQLiteError) {
        try statement.bind(first, identity.domain)
        try statement.bind(first + 1, identity.name)
        try statement.bind(first + 2, identity.path)
        try statement.bind(first + 3, scope(of: identity))
        try statement.bind(first + 4, identity.partitionKey ?? [])
    }

    /// What the column `scope` holds.
    static func scope(of identity: CookieIdentity) -> Int64 {
        (identity.hostOnly ? hostOnly : 0) | (identity.partitionKey == nil ? 0 : partitioned)
    }

    /// The identity in the columns from `first` on.
    static func read(
        from first: Int32, in statement: borrowing Statement
    ) throws(SQLiteError) -> CookieIdentity {
        let scope = try statement.integer(first + 3)
        return CookieIdentity(
            name: try statement.bytes(first + 1), domain: try statement.bytes(first),
            hostOnly: scope & hostOnly != 0, path: try statement.bytes(first + 2),
            partitionKey: scope & partitioned == 0 ? nil : try statement.bytes(first + 4))
    }
}

/// The columns that hold a cookie's content, and those of a tombstone.
enum ContentColumns {
    static let cookieNames = [
        "value", "attributes", "expires", "created_at", "creation_order", "updated_at", "version",
        "last_access", "legacy",
    ]
    static let tombstoneNames = [
        "buried_revision", "buried_at", "buried_cause", "buried_travels",
    ]
    static let names = (cookieNames + tombstoneNames).joined(separator: ", ")

    /// After how many columns those of a tombstone come.
    static let tombstoneOffset: Int32 = 9
    /// How many there are.
    static let count = tombstoneOffset + 4

    /// The bit of the attributes that says that the value is sealed.
    private static let sealed: Int64 = 8

    /// Binds a cookie to the parameters from `first` on.
    static func bind(
        _ cookie: Cookie, in store: StoreID, _ sealing: JarSealing, from first: Int32,
        to statement: Statement
    ) throws(SQLiteError) {
        let value = try bindRest(of: cookie, in: store, sealing, from: first, to: statement)
        try statement.bind(first, value)
    }

    /// Binds a cookie but for its value, and answers what is to be stored as that.
    static func bindRest(
        of cookie: Cookie, in store: StoreID, _ sealing: JarSealing, from first: Int32,
        to statement: Statement
    ) throws(SQLiteError) -> [UInt8] {
        let attributes = attributes(of: cookie)
        let value = try sealing.stored(cookie, attributes: attributes, store: store)
        try statement.bind(first + 1, attributes | (value.isSealed ? sealed : 0))
        try statement.bind(first + 2, cookie.expires?.milliseconds)
        try statement.bind(first + 3, cookie.createdAt.milliseconds)
        try statement.bind(first + 4, Int64(bitPattern: cookie.creationOrder))
        try statement.bind(first + 5, cookie.updatedAt.milliseconds)
        try statement.bind(first + 6, Int64(bitPattern: cookie.version))
        try statement.bind(first + 7, cookie.lastAccess.milliseconds)
        try statement.bind(first + 8, cookie.legacy.map(StoredLegacyAttributes.encode))
        return value.octets
    }

    /// Binds the two columns that depend on whether the value is sealed.
    static func bindValue(
        of cookie: Cookie, in store: StoreID, _ sealing: JarSealing, from first: Int32,
        to statement: Statement
    ) throws(SQLiteError) {
        let attributes = attributes(of: cookie)
        let value = try sealing.stored(cookie, attributes: attributes, store: store)
        try statement.bind(first, value.octets)
        try statement.bind(first + 1, attributes | (value.isSealed ? sealed : 0))
    }

    /// Whether the value in the columns from `first` on is sealed with the key in use.
    static func isCurrent(
        _ sealing: TenantSealing, from first: Int32, in statement: borrowing Statement
    ) throws(SQLiteError) -> Bool {
        guard try statement.integer(first + 1) & sealed != 0 else { return false }
        return sealing.isCurrent(try statement.bytes(first))
    }

    /// Binds a tombstone to the parameters of its columns; `first` is that of the cookie's first column.
    static func bind(
        _ tombstone: Tombstone, from first: Int32, to statement: Statement
    ) throws(SQLiteError) {
        let first = first + tombstoneOffset
        try statement.bind(first, Int64(bitPattern: tombstone.revision.rawValue))
        try statement.bind(first + 1, tombstone.at.milliseconds)
        try statement.bind(first + 2, Int64(tombstone.cause.rawValue))
        try statement.bind(first + 3, tombstone.travels ? 1 : 0)
    }

    /// The cookie in the columns from `first` on.
    static func cookie(
        _ identity: CookieIdentity, in store: StoreID, _ sealing: JarSealing, from first: Int32,
        in statement: borrowing Statement
    ) throws(SQLiteError) -> Cookie {
        let attributes = try statement.integer(first + 1)
        let isSealed = attributes & sealed != 0
        guard let sameSite = SameSite(rawValue: UInt8(truncatingIfNeeded: attributes >> 8)),
            let source = CookieSource(rawValue: UInt8(truncatingIfNeeded: attributes >> 16))
        else { throw sealing.isOn ? .integrity : .undecodable("a cookie") }
        var cookie = Cookie(
            identity: identity, value: CookieValue([]),
            secure: attributes & 1 != 0, httpOnly: attributes & 2 != 0, sameSite: sameSite,
            expires: try statement.optionalInteger(first + 2).map(Timestamp.init(milliseconds:)),
            createdAt: Timestamp(milliseconds: try statement.integer(first + 3)),
            creationOrder: UInt64(bitPattern: try statement.integer(first + 4)),
            updatedAt: Timestamp(milliseconds: try statement.integer(first + 5)),
            version: UInt64(bitPattern: try statement.integer(first + 6)),
            lastAccess: Timestamp(milliseconds: try statement.integer(first + 7)),
            wasSession: attributes & 4 != 0, source: source,
            legacy: try legacy(in: first + 8, sealing, statement))
        cookie.value = try sealing.value(
            try statement.bytes(first), isSealed: isSealed, of: cookie,
            attributes: attributes & ~sealed, store: store)
        return cookie
    }

    private static func legacy(
        in column: Int32, _ sealing: JarSealing, _ statement: borrowing Statement
    ) throws(SQLiteError) -> LegacyAttributes? {
        guard let bytes = try statement.optionalBytes(column) else { return nil }
        do {
            return try StoredLegacyAttributes.decode(bytes)
        } catch {
            throw sealing.isOn ? .integrity : error
        }
    }

    /// The tombstone in its columns, if there is one; `first` is the cookie's first column.
    static func tombstone(
        from first: Int32, in statement: borrowing Statement
    ) throws(SQLiteError) -> Tombstone? {
        let first = first + tombstoneOffset
        guard let revision = try statement.optionalInteger(first) else { return nil }
        guard let cause = ChangeCause(rawValue: try statement.octet(first + 2)) else {
            throw .undecodable("a tombstone")
        }
        return Tombstone(
            revision: Revision(rawValue: UInt64(bitPattern: revision)),
            at: Timestamp(milliseconds: try statement.integer(first + 1)), cause: cause,
            travels: try statement.integer(first + 3) != 0)
    }

    /// The flags in the lowest octet, then SameSite, then the source.
    private static func attributes(of cookie: Cookie) -> Int64 {
        (cookie.secure ? 1 : 0) | (cookie.httpOnly ? 2 : 0) | (cookie.wasSession ? 4 : 0)
            | Int64(cookie.sameSite.rawValue) << 8 | Int64(cookie.source.rawValue) << 16
    }
}

/// A store's settings in one column: format 1, accept policy, matching, then the lifetime in eight octets, highest
/// first, if there is one.
enum StoredSettings {
    static func encode(_ settings: StoreSettings) -> [UInt8] {
        var bytes: [UInt8] = [1, settings.acceptPolicy.rawValue, settings.matching.rawValue]
        if let lifetime = settings.sessionLifetimeSeconds {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: lifetime >> Int64(shift)))
            }
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) throws(SQLiteError) -> StoreSettings {
        guard bytes.count == 3 || bytes.count == 11, bytes[0] == 1,
            let policy = AcceptPolicy(rawValue: bytes[1]),
            let matching = HostMatching(rawValue: bytes[2])
        else { throw .undecodable("settings") }
        let lifetime = bytes.dropFirst(3).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return StoreSettings(
            acceptPolicy: policy, matching: matching,
            sessionLifetimeSeconds: bytes.count == 3 ? nil : lifetime)
    }
}
