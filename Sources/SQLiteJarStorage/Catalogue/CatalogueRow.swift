// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// How records of the catalogue are written into rows and read out of them.
enum CatalogueRow {
    static let tokenColumns = """
        id, tenant, name, scopes, jars, stores, rate_limit, created_at, expires_at, digest, \
        overlap_digest, overlap_until
        """

    static func bind(_ record: CatalogueTenant, to statement: Statement) throws(SQLiteError) {
        try statement.bind(1, record.tenant.bytes)
        try statement.bind(2, record.createdAt.milliseconds)
        try statement.bind(3, record.limits.bytes.map(Int64.init))
        try statement.bind(4, record.limits.requestsPerSecond.map(Int64.init))
        try statement.bind(5, record.isBeingDeleted ? 1 : 0)
    }

    static func tenant(in row: Statement) throws(SQLiteError) -> CatalogueTenant {
        guard let tenant = TenantID(try row.bytes(0)) else { throw .undecodable("a tenant") }
        return CatalogueTenant(
            tenant: tenant, createdAt: Timestamp(milliseconds: try row.integer(1)),
            limits: TenantLimits(
                bytes: try row.optionalInteger(2).map(Int.init),
                requestsPerSecond: try row.optionalInteger(3).map(Int.init)),
            isBeingDeleted: try row.integer(4) != 0)
    }

    static func bind(_ record: TokenRecord, to statement: Statement) throws(SQLiteError) {
        try statement.bind(1, record.id.bytes)
        try statement.bind(2, record.tenant.bytes)
        try statement.bind(3, record.name)
        try statement.bind(4, Int64(record.scopes.rawValue))
        try statement.bind(5, list(record.jars.map(\.bytes)))
        try statement.bind(6, list(record.stores.map(\.bytes)))
        try statement.bind(7, record.requestsPerSecond.map(Int64.init))
        try statement.bind(8, record.createdAt.milliseconds)
        try statement.bind(9, record.expiresAt.milliseconds)
        try statement.bind(10, record.digest.bytes)
        try statement.bind(11, record.overlap?.digest.bytes)
        try statement.bind(12, record.overlap?.until.milliseconds)
    }

    static func token(in row: Statement) throws(SQLiteError) -> TokenRecord {
        guard let id = TokenID(try row.bytes(0)), let tenant = TenantID(try row.bytes(1)),
            let scopes = UInt8(exactly: try row.integer(3))
        else { throw .undecodable("a token") }
        var overlap: TokenRecord.Overlap?
        if let digest = try row.optionalBytes(10) {
            overlap = TokenRecord.Overlap(
                digest: TokenDigest(digest),
                until: Timestamp(milliseconds: try row.integer(11)))
        }
        return TokenRecord(
            id: id, tenant: tenant, name: try row.bytes(2),
            scopes: TokenScopes(rawValue: scopes),
            jars: try names(try row.bytes(4)), stores: try names(try row.bytes(5)),
            requestsPerSecond: try row.optionalInteger(6).map(Int.init),
            createdAt: Timestamp(milliseconds: try row.integer(7)),
            expiresAt: Timestamp(milliseconds: try row.integer(8)),
            digest: TokenDigest(try row.bytes(9)), overlap: overlap)
    }

    private static func list(_ names: [[UInt8]]) -> [UInt8] {
        Array(names.joined(separator: [UInt8(ascii: ",")]))
    }

    // A list that could not be read whole must not become one without a limit.
    private static func names<Name: Identifier>(_ list: [UInt8]) throws(SQLiteError) -> [Name] {
        var names: [Name] = []
        for piece in list.split(separator: UInt8(ascii: ",")) {
            guard let name = Name(piece) else { throw .undecodable("a list of names") }
            names.append(name)
        }
        return names
    }
}
