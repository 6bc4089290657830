// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import PostgresJarStorage
import SQLiteJarStorage
import Synchronization
import Telemetry
import TestSupport
import Testing

/// The engines of the catalogue.
enum CatalogueEngine: CaseIterable {
    case memory
    case sqlite
    case postgres
    /// Two nodes on one database: one writes, the other is looked at.
    case fleet

    /// Catalogues of one content, with what has to live as long.
    func make() throws -> CatalogueFixture {
        switch self {
        case .memory:
            let catalogue = MemoryTenantCatalogue()
            return CatalogueFixture(catalogue, catalogue)
        case .sqlite:
            let directory = try TemporaryDirectory()
            let storage = try SQLiteJarStorage(
                configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
                logger: .silent)
            return CatalogueFixture(
                storage.catalogue, storage.catalogue, keeping: [storage], in: directory)
        case .postgres:
            let storage = try Self.node(try PrivatePostgres.shared.get().makeDatabase())
            return CatalogueFixture(storage.catalogue, storage.catalogue, keeping: [storage])
        case .fleet:
            let database = try PrivatePostgres.shared.get().makeDatabase()
            let (first, second) = (try Self.node(database), try Self.node(database))
            return CatalogueFixture(first.catalogue, second.catalogue, keeping: [first, second])
        }
    }

    private static func node(_ database: String) throws -> PostgresJarStorage {
        let connection = try #require(ConnectionInfo(database))
        return try PostgresJarStorage(
            configuration: PostgresJarStorageConfiguration(connection: connection), logger: .silent)
    }
}

/// A catalogue to write to and one to look at, of the same content; open as long as this is there.
final class CatalogueFixture {
    let writer: any TenantCatalogue
    let reader: any TenantCatalogue
    private let storages: [any JarStorage]
    private let directory: TemporaryDirectory?

    init(
        _ writer: any TenantCatalogue, _ reader: any TenantCatalogue,
        keeping storages: [any JarStorage] = [], in directory: TemporaryDirectory? = nil
    ) {
        (self.writer, self.reader) = (writer, reader)
        (self.storages, self.directory) = (storages, directory)
    }

    deinit { for storage in storages { storage.close() } }

    /// What the reader lets callers in by, once it does; it has to become able to.
    func seen() async throws -> CatalogueState {
        var state: CatalogueState?
        _ = try await eventually {
            state = reader.currentState
            return state != nil
        }
        return try #require(state)
    }
}

/// The promises of the protocol `TenantCatalogue`, for every engine.
@Suite("The contract of a catalogue of tenants and tokens")
struct TenantCatalogueContract {
    @Test("what was answered is seen", arguments: CatalogueEngine.allCases)
    func visibility(_ engine: CatalogueEngine) async throws {
        let fixture = try engine.make()
        let tenant = CatalogueWorld.tenant("acme")
        let (token, plain) = (
            CatalogueWorld.token("a", of: "acme"), CatalogueWorld.plainToken("b", of: "acme")
        )
        #expect(try await fixture.seen().tenant(tenant.tenant) == nil)
        try await fixture.writer.change {
            $0.apply(.putTenant(tenant))
            $0.apply(.putToken(token))
            $0.apply(.putToken(plain))
        }
        let made = try await fixture.seen()
        #expect(made.tenant(tenant.tenant)?.record == tenant)
        #expect(made.token(token.id)?.record == token)
        #expect(made.tokens(of: tenant.tenant).map(\.record) == [token, plain])
        let use = try #require(made.token(token.id)?.use)
        use.lastUse.store(5, ordering: .relaxed)
        var changed = token
        changed.digest = TokenDigest(Array(repeating: 3, count: 32))
        changed.overlap = nil
        let rotated = changed
        try await fixture.writer.change { $0.apply(.putToken(rotated)) }
        #expect(try await fixture.seen().token(token.id)?.record == rotated)
        #expect(try await fixture.seen().token(token.id)?.use === use)
        try await fixture.writer.change { $0.apply(.removeToken(token.id, of: token.tenant)) }
        #expect(try await fixture.seen().token(token.id) == nil)
        try await fixture.writer.change {
            $0.removeTokens(of: tenant.tenant)
            $0.apply(.removeTenant(tenant.tenant))
        }
        #expect(try await fixture.seen().tokens.isEmpty)
        #expect(try await fixture.reader.newest().tenants.isEmpty)
    }

    @Test(
        "a read sees what was answered before, tenants as well", arguments: CatalogueEngine.allCases
    )
    func reading(_ engine: CatalogueEngine) async throws {
        let fixture = try engine.make()
        for index in 1...20 {
            let tenant = CatalogueWorld.tenant("acme", bytes: index)
            try await fixture.writer.change { $0.apply(.putTenant(tenant)) }
            #expect(try await fixture.reader.newest().tenant(tenant.tenant)?.record == tenant)
            #expect(fixture.writer.hasLimits)
        }
    }

    @Test(
        "operations see what came before, and never interleave", arguments: CatalogueEngine.allCases
    )
    func order(_ engine: CatalogueEngine) async throws {
        let fixture = try engine.make()
        let tenant = CatalogueWorld.tenant("acme", bytes: 0)
        try await fixture.writer.change { $0.apply(.putTenant(tenant)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                let catalogue = index % 2 == 0 ? fixture.writer : fixture.reader
                group.addTask {
                    try await catalogue.change { draft in
                        var record = draft.state.tenant(tenant.tenant)?.record ?? tenant
                        record.limits.bytes = (record.limits.bytes ?? 0) + 1
                        draft.apply(.putTenant(record))
                    }
                }
            }
            try await group.waitForAll()
        }
        for catalogue in [fixture.writer, fixture.reader] {
            let state = try await catalogue.newest()
            #expect(state.tenant(tenant.tenant)?.record.limits.bytes == 50)
        }
    }

    @Test("an operation that changes nothing is answered too", arguments: CatalogueEngine.allCases)
    func looking(_ engine: CatalogueEngine) async throws {
        let fixture = try engine.make()
        let tenant = CatalogueWorld.tenant("acme")
        try await fixture.writer.change { $0.apply(.putTenant(tenant)) }
        let seen = try await fixture.reader.change { $0.state.tenant(tenant.tenant)?.record }
        #expect(seen == tenant)
    }
}
