// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

/// The engines of the catalogue.
enum CatalogueEngine: CaseIterable {
    case memory
    case sqlite

    /// A catalogue of its own, with what has to live as long.
    func make() throws -> (catalogue: any TenantCatalogue, keeper: CatalogueKeeper) {
        switch self {
        case .memory: return (MemoryTenantCatalogue(), CatalogueKeeper(nil, nil))
        case .sqlite:
            let directory = try TemporaryDirectory()
            let storage = try SQLiteJarStorage(
                configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
                logger: .silent)
            return (storage.catalogue, CatalogueKeeper(storage, directory))
        }
    }
}

/// Keeps a catalogue's storage open.
final class CatalogueKeeper {
    private let storage: SQLiteJarStorage?
    private let directory: TemporaryDirectory?

    init(_ storage: SQLiteJarStorage?, _ directory: TemporaryDirectory?) {
        self.storage = storage
        self.directory = directory
    }

    deinit { storage?.close() }
}

/// Records for tests of the catalogue.
enum CatalogueWorld {
    static func tenant(_ name: String, bytes: Int? = nil) throws -> CatalogueTenant {
        CatalogueTenant(
            tenant: try #require(TenantID(name.utf8)), createdAt: Timestamp(milliseconds: 1_001),
            limits: TenantLimits(bytes: bytes, requestsPerSecond: 7))
    }

    static func token(_ id: String, of tenant: String) throws -> TokenRecord {
        TokenRecord(
            id: try #require(TokenID(Array("\(id)00000000000".utf8))),
            tenant: try #require(TenantID(tenant.utf8)), name: Array("wörker".utf8),
            scopes: [.read, .feed],
            jars: [try #require(JarID("a:b@c".utf8)), try #require(JarID("d+e".utf8))],
            stores: [try #require(StoreID("native".utf8))], requestsPerSecond: 9,
            createdAt: Timestamp(milliseconds: 5), expiresAt: Timestamp(milliseconds: 6_000),
            digest: TokenDigest(Array(repeating: 0, count: 32)),
            overlap: TokenRecord.Overlap(
                digest: TokenDigest(Array(repeating: 255, count: 32)),
                until: Timestamp(milliseconds: 77)))
    }
}

/// The promises of the protocol `TenantCatalogue`, for every engine.
@Suite("The contract of a catalogue of tenants and tokens")
struct TenantCatalogueContract {
    @Test("what was answered is seen", arguments: CatalogueEngine.allCases)
    func visibility(_ engine: CatalogueEngine) async throws {
        let (catalogue, keeper) = try engine.make()
        let (tenant, token) = (
            try CatalogueWorld.tenant("acme"), try CatalogueWorld.token("a", of: "acme")
        )
        #expect(catalogue.state.tenant(tenant.tenant) == nil)
        try await catalogue.change {
            $0.apply(.putTenant(tenant))
            $0.apply(.putToken(token))
        }
        #expect(catalogue.state.tenant(tenant.tenant)?.record == tenant)
        #expect(catalogue.state.token(token.id)?.record == token)
        #expect(catalogue.state.tokens(of: tenant.tenant).map(\.record) == [token])
        let use = try #require(catalogue.state.token(token.id)?.use)
        use.lastUse.store(5, ordering: .relaxed)
        var changed = token
        changed.digest = TokenDigest(Array(repeating: 3, count: 32))
        changed.overlap = nil
        let rotated = changed
        try await catalogue.change { $0.apply(.putToken(rotated)) }
        #expect(catalogue.state.token(token.id)?.record == rotated)
        #expect(catalogue.state.token(token.id)?.use === use)
        try await catalogue.change { $0.apply(.removeToken(token.id)) }
        #expect(catalogue.state.token(token.id) == nil)
        try await catalogue.change { $0.apply(.removeTenant(tenant.tenant)) }
        #expect(catalogue.state.tenants.isEmpty)
        withExtendedLifetime(keeper) {}
    }

    @Test(
        "operations see what came before, and never interleave", arguments: CatalogueEngine.allCases
    )
    func order(_ engine: CatalogueEngine) async throws {
        let (catalogue, keeper) = try engine.make()
        let tenant = try CatalogueWorld.tenant("acme", bytes: 0)
        try await catalogue.change { $0.apply(.putTenant(tenant)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
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
        #expect(catalogue.state.tenant(tenant.tenant)?.record.limits.bytes == 50)
        withExtendedLifetime(keeper) {}
    }
}
