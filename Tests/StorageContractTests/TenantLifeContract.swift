// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

/// The promises of the protocol `JarStorage` about tenants as a whole, for every engine.
@Suite("The contract of usage and deletion of tenants")
struct TenantLifeContract {
    private let alice = StorageWorld.address("alice")
    private let native = StorageWorld.store("native")

    private func put(_ name: String, _ address: JarAddress, in storage: any JarStorage) async throws
    {
        let native = native
        _ = try await storage.change(address) { draft in
            draft.put(
                StorageWorld.cookie(name, "1"), in: native, rules: StorageWorld.rules,
                now: StorageWorld.start)
        }
    }

    @Test("usage counts jars that are there", arguments: StorageEngine.allCases)
    func usage(_ engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        #expect(try await storage.usage(of: alice.tenant) == nil)
        try await put("a", alice, in: storage)
        try await put("b", alice, in: storage)
        try await put("a", StorageWorld.address("bob"), in: storage)
        let usage = try #require(try await storage.usage(of: alice.tenant))
        #expect(usage.jars == 2 && usage.bytes > 0)
        _ = try await storage.change(StorageWorld.address("bob")) { draft in
            draft.deleteJar(now: StorageWorld.start)
        }
        #expect(try await storage.usage(of: alice.tenant)?.jars == 1)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test("a deleted tenant is gone", arguments: StorageEngine.allCases)
    func deletion(_ engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        try await storage.delete(alice.tenant)
        try await put("a", alice, in: storage)
        try await storage.delete(alice.tenant)
        #expect(try await storage.load(alice).state.revision == .zero)
        #expect(try await storage.usage(of: alice.tenant) == nil)
        #expect(try await storage.page(of: alice.tenant).isEmpty)
        try await put("b", alice, in: storage)
        #expect(try await storage.load(alice).state.revision.rawValue == 1)
        storage.close()
        withExtendedLifetime(directory) {}
    }
}
