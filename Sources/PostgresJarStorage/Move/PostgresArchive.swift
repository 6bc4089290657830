// SPDX-License-Identifier: Apache-2.0

import Cookies
public import JarStorage
import Locks
public import Telemetry

/// A database that no node serves meanwhile: its tenants as they are.
public final class PostgresArchive: JarArchive {
    /// For how long a jar, however large, may take.
    private static let callMilliseconds = 120_000

    private let connection: PostgresConnection
    private let health: EngineHealth

    /// Connects, and brings the schema to this program's version if the role may.
    ///
    /// - Throws: `DatabaseOpenError` when it cannot be reached, or the schema is of another version.
    public init(_ info: ConnectionInfo, logger: Logger) throws(DatabaseOpenError) {
        try Schema.check(info, logger)
        health = EngineHealth(logger: logger)
        do throws(PostgresError) {
            connection = try LaneContext.open(info, statements: MoveStatements.all, health)
            var settings = Script()
            settings.add(MoveStatements.configure)
            let exchange = connection.run(settings, until: .now.adding(milliseconds: 3_000))
            if let failure = exchange.failure { throw failure }
        } catch {
            throw .unreachable(state: error.state)
        }
    }

    /// The tenants that have anything, by name.
    public func tenants() throws(JarStorageError) -> [TenantID] {
        let rows = try ask(Request(MoveStatements.tenants, of: nil))
        return try decode { () throws(PostgresError) in
            try (0..<rows.count).map { (row) throws(PostgresError) in
                guard let tenant = TenantID(rows.octets(row, 0)) else {
                    throw .undecodable("a tenant")
                }
                return tenant
            }
        }
    }

    /// The jars of a tenant by name.
    public func jars(of tenant: TenantID) throws(JarStorageError) -> [JarID] {
        let rows = try ask(Request(MoveStatements.jars, of: tenant) { $0.octets(tenant.bytes) })
        return try decode { () throws(PostgresError) in
            try (0..<rows.count).map { (row) throws(PostgresError) in
                guard let jar = JarID(rows.octets(row, 0)) else { throw .undecodable("a jar") }
                return jar
            }
        }
    }

    /// All that is kept of a jar.
    public func image(of address: JarAddress) throws(JarStorageError) -> JarImage {
        let loaded = try ask(.load(address))
        let first = try ask(.changes(of: address, since: .zero, limit: 0))
        let floor = try decode { () throws(PostgresError) in try ChangePage(first).floor }
        let feed = try ask(.changes(of: address, since: floor, limit: .max))
        return try decode { () throws(PostgresError) in
            JarImage(
                state: try KnownJar(loaded: loaded).snapshot.state, floor: floor,
                changes: try ChangePage(feed).changes)
        }
    }

    /// The tenant's records.
    public func records(of tenant: TenantID) throws(JarStorageError) -> RecordImage {
        let rows = try ask(.load(tenant))
        return try decode { () throws(PostgresError) in try rows.records().image }
    }

    /// Keeps a jar that is not there, in one transaction.
    public func put(_ image: JarImage, at address: JarAddress) throws(JarStorageError) {
        var script = Script()
        script.enter(address.tenant.bytes)
        let stamp = Int64.random(in: .min ... .max)
        let number = script.add(Statements.create) { parameters in
            parameters.add(image, at: address, stamp: stamp)
        }
        script.add(MoveStatements.setFloor) { parameters in
            parameters.octets(address.tenant.bytes)
            parameters.octets(address.jar.bytes)
            parameters.integer(Int64(bitPattern: image.floor.rawValue))
            parameters.integer(stamp)
        }
        try write(script, number)
    }

    /// Keeps the records of a tenant that has none, in one transaction.
    public func put(_ records: RecordImage, of tenant: TenantID) throws(JarStorageError) {
        var script = Script()
        script.enter(tenant.bytes)
        let number = script.add(Statements.createTenant) { parameters in
            parameters.octets(tenant.bytes)
            parameters.integer(Int64(bitPattern: records.revision.rawValue))
            parameters.integer(.random(in: .min ... .max))
            parameters.smalls([])
            parameters.octets([[UInt8]?]())
            parameters.smalls(records.records.map { Int16($0.kind.rawValue) })
            parameters.octets(records.records.map { $0.name })
            parameters.octets(records.records.map { $0.body })
        }
        try write(script, number)
    }

    /// The tenants that were made explicitly, and all tokens.
    public func catalogue() throws(JarStorageError) -> CatalogueImage {
        try decode { () throws(PostgresError) in
            let rows = try CatalogueRows(
                try connection.askCatalogue(CatalogueStatements.load, until: deadline))
            return CatalogueImage(
                tenants: rows.tenants,
                tokens: rows.tokens.map {
                    CatalogueImage.Token(record: $0.record, lastUse: $0.lastUse)
                })
        }
    }

    /// Keeps tenants and tokens, in one transaction.
    public func put(_ catalogue: CatalogueImage) throws(JarStorageError) {
        let base = try decode { () throws(PostgresError) in
            let rows = try connection.askCatalogue(CatalogueStatements.head, until: deadline)
            guard rows.count == 1 else { throw .undecodable("the catalogue's head") }
            return try CatalogueRows.Standing(rows, 0, from: 0)
        }
        var script = Script()
        script.add(CatalogueStatements.open)
        // Nobody serves the database meanwhile.
        let number = script.add(CatalogueStatements.lock)
        _ = script.add(
            catalogue.changes, on: base,
            lastUses: Dictionary(
                catalogue.tokens.map { ($0.record.id, $0.lastUse) }, uniquingKeysWith: max))
        try write(script, number)
    }

    private func write(_ script: Script, _ number: Int) throws(JarStorageError) {
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure {
            health.report(failure)
            throw connection.isUsable ? failure.storageError : .inDoubt
        }
        guard !exchange.hasWarning else { throw .inDoubt }
        // Somebody else has written it meanwhile.
        guard exchange.results[number].count > 0 else { throw .busy }
    }

    private func ask(_ request: Request) throws(JarStorageError) -> QueryResult {
        try decode { () throws(PostgresError) in
            try connection.ask([request], until: deadline)[0].get()
        }
    }

    private func decode<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(JarStorageError) -> Value {
        do {
            return try body()
        } catch {
            health.report(error)
            throw error.storageError
        }
    }

    private var deadline: MonotonicTime { .now.adding(milliseconds: Self.callMilliseconds) }
}

extension Parameters {
    /// Those of the statement `create`, for a jar as it is.
    fileprivate mutating func add(_ image: JarImage, at address: JarAddress, stamp: Int64) {
        let state = image.state
        octets(address.tenant.bytes)
        octets(address.jar.bytes)
        integer(Int64(bitPattern: state.revision.rawValue))
        integer(stamp)
        flag(state.isPresent)
        add(log: image.changes)
        var places = Set<CookiePlace>()
        for (store, content) in state.stores {
            content.cookies.forEach {
                places.insert(CookiePlace(store: store, identity: $0.identity))
            }
            for identity in content.tombstones.keys {
                places.insert(CookiePlace(store: store, identity: identity))
            }
        }
        add(places: Array(places), of: state)
        add(stores: state.stores.keys.sorted(), of: state)
        integer(KnownTenant.absent.stamp)
        integer(state.createdAt?.milliseconds ?? 0)
    }
}
