// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Moving
import PostgresJarStorage
import SQLiteJarStorage
import Sealing
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Moving everything from one engine to another")
struct MoveTests {
    private let directories: [TemporaryDirectory]
    private let database: ConnectionInfo

    init() throws {
        directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        let text = try PrivatePostgres.shared.get().makeDatabase()
        database = try #require(ConnectionInfo(text))
    }

    private func files(_ number: Int, _ keys: KeyRing? = nil) -> SQLiteJarStorageConfiguration {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directories[number].path)
        configuration.keys = keys
        // Some of it folded, some of the log dropped, some of it neither.
        configuration.foldThreshold = 16
        configuration.changeLimit = 40
        configuration.sweepIntervalMilliseconds = 20
        return configuration
    }

    private func archive(_ number: Int, _ keys: KeyRing? = nil) throws -> SQLiteArchive {
        try SQLiteArchive(files(number, keys))
    }

    private func archive() throws -> PostgresArchive {
        try PostgresArchive(database, logger: .silent)
    }

    private let tenants = ["acme", "zeta"]
    private let jars = ["alice", "bob", "carol"]

    private func address(_ jar: String, _ tenant: String) -> JarAddress {
        StorageWorld.address(jar, of: tenant)
    }

    /// Every kind of change, in several jars of two tenants, one of which is deleted.
    private func fill(_ storage: any JarStorage) async throws {
        let native = StorageWorld.store("native")
        let stores = [native, StorageWorld.store("web")]
        let (host, rule) = (
            StorageWorld.record("www.example.com", ["203.0.113.7"]),
            StorageWorld.rule("web", from: "native", to: "other", mode: .twoWay)
        )
        for tenant in tenants {
            for jar in jars {
                for index in 0..<40 {
                    _ = try await storage.change(address(jar, tenant)) { draft in
                        _ = draft.put(
                            StorageWorld.cookie("n\(index % 9)", "\(jar)\(index)"),
                            in: stores[index % 2], rules: StorageWorld.rules,
                            now: StorageWorld.start)
                        guard index % 5 == 0 else { return }
                        let gone = StorageWorld.identity("n\(index % 4)")
                        _ = draft.delete(gone, in: native, now: StorageWorld.start)
                    }
                }
            }
            _ = try await storage.change(address("carol", tenant)) { draft in
                _ = draft.deleteJar(now: StorageWorld.start)
            }
            _ = try await storage.changeRecords(of: address("alice", tenant).tenant) { draft in
                draft.set(host)
                draft.set(rule)
            }
        }
    }

    /// A directory with all that, the oldest of whose changes are gone.
    private func filled(_ keys: KeyRing? = nil) async throws {
        let storage = try SQLiteJarStorage(configuration: files(0, keys), logger: .silent)
        defer { storage.close() }
        try await fill(storage)
        for tenant in tenants {
            while try await storage.feed(of: address("bob", tenant), since: 0).floor == .zero {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// Gives the catalogue of a directory a tenant with a limit, one that is being deleted, and tokens.
    private func fillCatalogue() async throws {
        let storage = try SQLiteJarStorage(configuration: files(0), logger: .silent)
        defer { storage.close() }
        let (acme, gone) = (CatalogueWorld.tenant("acme", bytes: 9), CatalogueWorld.tenant("gone"))
        let tokens = [
            CatalogueWorld.token("a", of: "acme"), CatalogueWorld.plainToken("b", of: "acme"),
        ]
        try await storage.catalogue.change { draft in
            var leaving = gone
            leaving.isBeingDeleted = true
            draft.apply(.putTenant(acme))
            draft.apply(.putTenant(leaving))
            for token in tokens { draft.apply(.putToken(token)) }
        }
        let entry = try #require(storage.catalogue.state.token(tokens[0].id))
        entry.use.lastUse.store(123_456, ordering: .relaxed)
    }

    @Test("tenants and tokens are there and back again, cut short at any time")
    func catalogue() async throws {
        try await fillCatalogue()
        let expected = try archive(0).catalogue()
        #expect((expected.tenants.count, expected.tokens.count) == (2, 2))
        let whole = try Mover(from: archive(0), to: archive(1)).run()
        #expect(throws: MoveError.self) {
            try Mover(from: archive(0), to: CutShort(archive(), after: 0)).run()
        }
        #expect(try archive().catalogue().isEmpty)
        let there = try Mover(from: archive(0), to: archive()).run()
        #expect(there.tokens == 2 && there.digest == whole.digest)
        let again = try Mover(from: archive(), to: archive(1)).run()
        #expect(again.digest == whole.digest)
        for found in [try archive().catalogue(), try archive(1).catalogue()] {
            #expect(found.tenants == expected.tenants)
            #expect(found.tokens.map(\.record) == expected.tokens.map(\.record))
            #expect(found.tokens.map(\.lastUse) == [123_456, 0])
        }
        let node = try PostgresJarStorage(
            configuration: PostgresJarStorageConfiguration(connection: database), logger: .silent)
        defer { node.close() }
        #expect(try await node.catalogue.newest().tokens.count == 2)
    }

    @Test("a target with other tenants or tokens is left alone")
    func occupiedCatalogue() async throws {
        try await fillCatalogue()
        let node = try PostgresJarStorage(
            configuration: PostgresJarStorageConfiguration(connection: database), logger: .silent)
        let other = CatalogueWorld.tenant("acme", bytes: 10)
        try await node.catalogue.change { $0.apply(.putTenant(other)) }
        node.close()
        #expect(throws: MoveError.occupiedCatalogue) {
            try Mover(from: archive(0), to: archive()).run()
        }
        #expect(try archive().catalogue().tenants == [other])
    }

    private func state(of storage: any JarStorage) async throws -> [JarContents] {
        var contents: [JarContents] = []
        for tenant in tenants {
            for jar in jars {
                contents.append(try await storage.load(address(jar, tenant)).state.contents)
            }
        }
        return contents
    }

    @Test(
        "there and back again it is the same, sealed on one side or not", arguments: [false, true])
    func roundTrip(isSealed: Bool) async throws {
        let keys = isSealed ? KeyRing(current: try MasterKey(KeyBytes.random())) : nil
        try await filled(keys)
        let there = try Mover(from: archive(0, keys), to: archive()).run()
        #expect((there.tenants, there.jars, there.moved) == (2, 6, 6))
        #expect(there.changes > 0)
        let back = try Mover(from: archive(), to: archive(1)).run()
        #expect(back.moved == 6)
        #expect(back.digest == there.digest)
        // Once more only compares.
        let again = try Mover(from: archive(0, keys), to: archive()).run()
        #expect((again.jars, again.moved) == (6, 0))
        #expect(again.digest == there.digest)
    }

    @Test("the service finds on each side what it left: states, feeds for old cursors, records")
    func serving() async throws {
        try await filled()
        _ = try Mover(from: archive(0), to: archive()).run()
        _ = try Mover(from: archive(), to: archive(1)).run()
        var quiet = [files(0), files(1)]
        for index in quiet.indices { quiet[index].sweepIntervalMilliseconds = 3_600_000 }
        let storages: [any JarStorage] = [
            try SQLiteJarStorage(configuration: quiet[0], logger: .silent),
            try PostgresJarStorage(
                configuration: PostgresJarStorageConfiguration(connection: database),
                logger: .silent),
            try SQLiteJarStorage(configuration: quiet[1], logger: .silent),
        ]
        defer { for storage in storages { storage.close() } }
        let alice = address("alice", "acme")
        let before = try await storages[0].feed(of: alice, since: 0)
        let cursor = max(before.floor.rawValue, before.newest.rawValue - 3)
        let expected = try await state(of: storages[0])
        for storage in storages {
            #expect(try await state(of: storage) == expected)
            let page = try await storage.feed(of: alice, since: cursor)
            #expect(page.newest == before.newest)
            #expect(page.floor == before.floor)
            #expect(page.changes == (try await storages[0].feed(of: alice, since: cursor)).changes)
            let records = try await storage.records(of: alice.tenant)
            #expect(records.revision.rawValue == 2)
            #expect(records.syncRules.count == 1)
        }
        // They go on from there, and a cursor from before the move sees it.
        for storage in storages {
            let made = try await storage.change(address("alice", "acme")) { draft in
                _ = draft.put(
                    StorageWorld.cookie("after", "1"), in: StorageWorld.store("web"),
                    rules: StorageWorld.rules, now: StorageWorld.start)
            }
            #expect(made.snapshot.state.revision > before.newest)
            let page = try await storage.feed(of: alice, since: before.newest.rawValue)
            #expect(page.changes.first?.revision == before.newest.next)
        }
    }

    @Test("cut short after any jar, it goes on where it was", arguments: [0, 1, 3, 6])
    func resuming(puts: Int) async throws {
        try await filled()
        let whole = try Mover(from: archive(0), to: archive(1)).run()
        let source = try archive(0)
        let target = try archive()
        #expect(throws: MoveError.self) {
            try Mover(from: source, to: CutShort(target, after: puts)).run()
        }
        let rest = try Mover(from: source, to: target).run()
        // The records of each tenant are put as well.
        #expect(rest.moved >= 6 - puts)
        #expect(rest.moved <= 6)
        #expect(rest.digest == whole.digest)
    }

    @Test("a tenant that the target has other data of is left alone")
    func occupied() async throws {
        try await filled()
        let node = try PostgresJarStorage(
            configuration: PostgresJarStorageConfiguration(connection: database), logger: .silent)
        _ = try await node.change(address("zoe", "zeta")) { draft in
            _ = draft.put(
                StorageWorld.cookie("n", "1"), in: StorageWorld.store("web"),
                rules: StorageWorld.rules, now: StorageWorld.start)
        }
        node.close()
        let zeta = address("zoe", "zeta").tenant
        #expect(throws: MoveError.occupied(zeta)) {
            try Mover(from: archive(0), to: archive()).run()
        }
        // Nothing was written, of any tenant.
        #expect(try archive().tenants() == [zeta])
        #expect(try archive().jars(of: zeta).count == 1)
    }
}

/// An archive that takes so many images, and then nothing any more, as if the process had been killed.
private struct CutShort: JarArchive {
    private let archive: any JarArchive
    private let left: Locked<Int>

    init(_ archive: any JarArchive, after count: Int) {
        self.archive = archive
        left = Locked(count)
    }

    func tenants() throws(JarStorageError) -> [TenantID] { try archive.tenants() }

    func jars(of tenant: TenantID) throws(JarStorageError) -> [JarID] {
        try archive.jars(of: tenant)
    }

    func image(of address: JarAddress) throws(JarStorageError) -> JarImage {
        try archive.image(of: address)
    }

    func records(of tenant: TenantID) throws(JarStorageError) -> RecordImage {
        try archive.records(of: tenant)
    }

    func put(_ image: JarImage, at address: JarAddress) throws(JarStorageError) {
        try count()
        try archive.put(image, at: address)
    }

    func put(_ records: RecordImage, of tenant: TenantID) throws(JarStorageError) {
        try count()
        try archive.put(records, of: tenant)
    }

    func catalogue() throws(JarStorageError) -> CatalogueImage { try archive.catalogue() }

    func put(_ catalogue: CatalogueImage) throws(JarStorageError) {
        try count()
        try archive.put(catalogue)
    }

    private func count() throws(JarStorageError) {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { throw .unavailable }
    }
}
