// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

/// The promises of the protocol `JarStorage` about a tenant's records, for every engine.
@Suite("The contract of a storage of tenants' records")
struct TenantRecordsContract {
    private let alice = StorageWorld.address("alice")
    private var tenant: TenantID { alice.tenant }
    private let host = StorageWorld.record(
        "www.example.com", ["203.0.113.7", "[2001:db8::1]", "203.0.113.8"])
    private let rule = StorageWorld.rule("web", from: "nat*", to: "webview", mode: .twoWay)

    @Test("a tenant that nobody has written to has none", arguments: StorageEngine.allCases)
    func absence(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let records = try await storage.records(of: tenant)
        #expect(records.revision == .zero)
        #expect(records.hosts.isEmpty)
        #expect(records.syncRules.isEmpty)
        #expect(try await storage.page(of: tenant).isEmpty)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "a write that was answered is seen by every later read, of records and of jars",
        arguments: StorageEngine.allCases)
    func visibility(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let (host, rule) = (host, rule)
        let made = try await storage.changeRecords(of: tenant) { draft in
            draft.set(host)
            draft.set(rule)
            return draft.changes.count
        }
        #expect(made.answer == 2)
        #expect(made.state.revision.rawValue == 2)
        let records = try await storage.records(of: tenant)
        #expect(records.hosts.records == [host])
        #expect(records.syncRules == [rule])
        if let cached = storage.cachedRecords(of: tenant) { #expect(cached.revision.rawValue == 2) }
        let seen = try await storage.change(alice) { $0.tenant.revision.rawValue }
        #expect(seen.answer == 2)
        let removed = try await storage.changeRecords(of: tenant) { draft in
            [draft.remove(host.host), draft.removeSyncRule(rule.name), draft.remove(host.host)]
        }
        #expect(removed.answer == [true, true, false])
        #expect(try await storage.records(of: tenant).hosts.isEmpty)
        #expect(try await storage.change(alice) { $0.tenant.revision.rawValue }.answer == 4)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "what changes nothing, or is discarded, raises no revision",
        arguments: StorageEngine.allCases)
    func quietOperations(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let host = host
        _ = try await storage.changeRecords(of: tenant) { draft in
            draft.set(host)
            draft.discard()
        }
        #expect(try await storage.records(of: tenant).revision == .zero)
        for _ in 0..<2 { _ = try await storage.changeRecords(of: tenant) { $0.set(host) } }
        #expect(try await storage.records(of: tenant).revision.rawValue == 1)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "writes of records and of jars keep the order of the calls",
        arguments: StorageEngine.allCases)
    func order(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let seen = try await withThrowingTaskGroup(of: (Int, UInt64).self) { group in
            for index in 1...60 {
                // Each call is made before the next one, and answered whenever it is.
                let address = index.isMultiple(of: 2) ? "203.0.113.7" : "203.0.113.8"
                let record = StorageWorld.record("www.example.com", [address])
                storage.writeTenant(tenant, operation: { $0.set(record) }, completion: { _ in })
                group.addTask {
                    (index, try await storage.change(alice) { $0.tenant.revision.rawValue }.answer)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for index in 1...60 { #expect(seen[index, default: 0] >= UInt64(index)) }
        #expect(try await storage.records(of: tenant).revision.rawValue == 60)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test("tenants do not see each other's", arguments: StorageEngine.allCases)
    func tenants(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let other = StorageWorld.address("alice", of: "other")
        let host = host
        _ = try await storage.changeRecords(of: tenant) { $0.set(host) }
        #expect(try await storage.records(of: other.tenant).hosts.isEmpty)
        #expect(try await storage.change(other) { $0.tenant.revision }.answer == .zero)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test("refuses calls once it is closed", arguments: StorageEngine.allCases)
    func closing(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        storage.close()
        await #expect(throws: JarStorageError.unavailable) {
            try await storage.records(of: tenant)
        }
        let host = host
        await #expect(throws: JarStorageError.unavailable) {
            try await storage.changeRecords(of: tenant) { $0.set(host) }
        }
        withExtendedLifetime(directory) {}
    }
}
