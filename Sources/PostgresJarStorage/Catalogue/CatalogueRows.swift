// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What the rows of the statements `delta` and `load` of the catalogue hold.
struct CatalogueRows {
    /// A generation of the catalogue, with the stamp that its commit drew: after a failover that lost something, the same
    /// generation with another stamp is another state.
    struct Standing: Hashable, Sendable {
        let generation: Int64
        let stamp: Int64

        /// Of a catalogue that nobody has written to.
        static let absent = Standing(generation: 0, stamp: 0)
    }

    /// The newest generation.
    private(set) var standing = Standing.absent
    /// The generations whose changes are among these.
    private(set) var generations = Set<Standing>()
    /// The changes in their order, each with what it came to.
    private(set) var changes: [CatalogueChange] = []
    /// The tenants and tokens that are there.
    private(set) var tenants: [CatalogueTenant] = []
    private(set) var tokens: [(record: TokenRecord, lastUse: Int64)] = []

    init(_ rows: QueryResult) throws(PostgresError) {
        var hasHead = false
        for row in 0..<rows.count {
            let standing = try Standing(rows, row)
            switch try rows.integer(row, 0) {
            case 0:
                (self.standing, hasHead) = (standing, true)
                continue
            case 1: try add(try rows.catalogueTenant(row), rows, row)
            default: try add(try rows.catalogueToken(row), rows, row)
            }
            generations.insert(standing)
        }
        guard hasHead else { throw .undecodable("the catalogue's head") }
    }

    private mutating func add(
        _ tenant: CatalogueTenant?, _ rows: QueryResult, _ row: Int
    ) throws(PostgresError) {
        guard let tenant else { return changes.append(.removeTenant(try rows.tenant(row, 3))) }
        changes.append(.putTenant(tenant))
        tenants.append(tenant)
    }

    private mutating func add(
        _ token: TokenRecord?, _ rows: QueryResult, _ row: Int
    ) throws(PostgresError) {
        guard let token else {
            return changes.append(.removeToken(try rows.token(row, 4), of: try rows.tenant(row, 3)))
        }
        changes.append(.putToken(token))
        tokens.append((token, try rows.integer(row, 18)))
    }
}

extension CatalogueRows.Standing {
    /// The standing in the second and third column of a row.
    init(_ rows: QueryResult, _ row: Int, from column: Int = 1) throws(PostgresError) {
        self.init(
            generation: try rows.integer(row, column), stamp: try rows.integer(row, column + 1))
    }
}

extension QueryResult {
    fileprivate func tenant(_ row: Int, _ column: Int) throws(PostgresError) -> TenantID {
        guard let tenant = TenantID(octets(row, column)) else { throw .undecodable("a tenant") }
        return tenant
    }

    func token(_ row: Int, _ column: Int) throws(PostgresError) -> TokenID {
        guard let id = TokenID(octets(row, column)) else { throw .undecodable("a token") }
        return id
    }

    private func optionalInteger(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        isNull(row, column) ? nil : try integer(row, column)
    }

    private func time(_ row: Int, _ column: Int) throws(PostgresError) -> Timestamp {
        Timestamp(milliseconds: try integer(row, column))
    }

    /// Nil for one that is gone.
    fileprivate func catalogueTenant(_ row: Int) throws(PostgresError) -> CatalogueTenant? {
        guard !isNull(row, 10) else { return nil }
        return CatalogueTenant(
            tenant: try tenant(row, 3), createdAt: try time(row, 10),
            limits: TenantLimits(
                bytes: try optionalInteger(row, 15).map(Int.init),
                requestsPerSecond: try optionalInteger(row, 9).map(Int.init)),
            isBeingDeleted: flag(row, 16))
    }

    /// Nil for one that is gone.
    fileprivate func catalogueToken(_ row: Int) throws(PostgresError) -> TokenRecord? {
        guard !isNull(row, 10) else { return nil }
        guard let scopes = UInt8(exactly: try integer(row, 6)) else {
            throw .undecodable("the scopes of a token")
        }
        var overlap: TokenRecord.Overlap?
        if let digest = optionalOctets(row, 13) {
            overlap = TokenRecord.Overlap(
                digest: TokenDigest(digest), until: try time(row, 14))
        }
        return TokenRecord(
            id: try token(row, 4), tenant: try tenant(row, 3), name: octets(row, 5),
            scopes: TokenScopes(rawValue: scopes), jars: try names(row, 7),
            stores: try names(row, 8),
            requestsPerSecond: try optionalInteger(row, 9).map(Int.init),
            createdAt: try time(row, 10), expiresAt: try time(row, 11),
            digest: TokenDigest(octets(row, 12)), overlap: overlap)
    }

    // A list that could not be read whole must not become one without a limit.
    private func names<Name: Identifier>(
        _ row: Int, _ column: Int
    ) throws(PostgresError) -> [Name] {
        var names: [Name] = []
        for piece in octets(row, column).split(separator: UInt8(ascii: ",")) {
            guard let name = Name(piece) else { throw .undecodable("a list of names") }
            names.append(name)
        }
        return names
    }
}

extension Script {
    /// Adds a change of the catalogue, in the name of its tenant; `lastUse` is of a token that comes from elsewhere.
    mutating func add(_ change: CatalogueChange, lastUse: Int64 = 0) {
        enter(change.tenant.bytes)
        switch change {
        case .putTenant(let record):
            add(CatalogueStatements.putTenant) { parameters in
                parameters.octets(record.tenant.bytes)
                parameters.integer(record.createdAt.milliseconds)
                parameters.integer(Int64(record.limits.bytes ?? -1))
                parameters.integer(Int64(record.limits.requestsPerSecond ?? -1))
                parameters.flag(record.isBeingDeleted)
            }
        case .removeTenant(let tenant):
            add(CatalogueStatements.removeTenant) { $0.octets(tenant.bytes) }
        case .putToken(let record):
            add(CatalogueStatements.putToken) { $0.add(record, lastUse: lastUse) }
        case .removeToken(let id, let tenant):
            add(CatalogueStatements.removeToken) { parameters in
                parameters.octets(tenant.bytes)
                parameters.octets(id.bytes)
            }
        }
    }
}

extension Parameters {
    fileprivate mutating func add(_ record: TokenRecord, lastUse: Int64) {
        let comma = [UInt8(ascii: ",")]
        octets(record.tenant.bytes)
        octets(record.id.bytes)
        octets(record.name)
        integer(Int64(record.scopes.rawValue))
        // No name has a comma.
        octets(Array(record.jars.map(\.bytes).joined(separator: comma)))
        octets(Array(record.stores.map(\.bytes).joined(separator: comma)))
        integer(Int64(record.requestsPerSecond ?? -1))
        integer(record.createdAt.milliseconds)
        integer(record.expiresAt.milliseconds)
        octets(record.digest.bytes)
        octets(record.overlap?.digest.bytes ?? [])
        integer(record.overlap?.until.milliseconds ?? -1)
        integer(lastUse)
    }
}
