// SPDX-License-Identifier: Apache-2.0

import Cookies
import FoundationEssentials
import Glibc
import JarStorage
import Sealing
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Values at rest are sealed")
struct SealedStorageTests {
    private let world: SealedWorld
    private let alice = StorageWorld.address("alice")

    init() throws { world = try SealedWorld() }

    private func folder(_ tenant: String = "acme", at path: String? = nil) -> TenantFolder {
        TenantFolder(parent: "\(path ?? world.data)/tenants", name: tenant)
    }

    @Test("no file holds a value, before it is folded and after, nor does a backup")
    func nothingPlain() async throws {
        for folding in [false, true] {
            let storage = try world.open(folding: folding)
            for number in 0..<20 {
                try await SealedWorld.put("c\(number)", at: alice, in: storage)
            }
            let name = try #require(BackupName("b\(folding ? 1 : 0)".utf8))
            _ = try await storage.backUp(as: name).get()
            storage.close()
            #expect(try world.files().isEmpty)
        }
        // The search finds what is there.
        let plain = try world.open(nil, at: world.directory.file("plain"))
        try await SealedWorld.put("c", at: alice, in: plain)
        plain.close()
        #expect(try !world.files(below: world.directory.file("plain")).isEmpty)
    }

    @Test("a feed shows the values of what happened")
    func feed() async throws {
        let storage = try world.open(folding: true)
        try await SealedWorld.put("sid", "one", at: alice, in: storage)
        try await SealedWorld.put("sid", "two", at: alice, in: storage)
        let values = try await storage.feed(of: alice, since: 0).changes.map { change in
            switch change.content {
            case .added(let cookie), .changed(let cookie):
                String(decoding: cookie.value.bytes, as: UTF8.self)
            default: ""
            }
        }
        #expect(values == ["one", "two"])
        storage.close()
    }

    @Test("a backup needs the key, and is restored and served with it")
    func restore() async throws {
        let storage = try world.open()
        try await SealedWorld.put("sid", at: alice, in: storage)
        let name = try #require(BackupName("b".utf8))
        _ = try await storage.backUp(as: name).get()
        storage.close()
        let (backup, target) = ("\(world.data)/backups/b", world.directory.file("new"))
        #expect(throws: RestoreError.keys(path: backup, .missing)) {
            try BackupRestore.run(from: backup, into: target)
        }
        #expect(throws: RestoreError.keys(path: backup, .wrong)) {
            try BackupRestore.run(
                from: backup, into: target, keys: KeyRing(current: SealedWorld.newKey()))
        }
        #expect(!FileSystem.exists(target))
        let keys = KeyRing(current: world.key)
        _ = try BackupRestore.run(from: backup, into: target, keys: keys)
        #expect(world.trouble(nil, at: target) == .missing)
        let copy = try world.open(keys, at: target)
        #expect(try await SealedWorld.value("sid", at: alice, in: copy) == SealedWorld.canary)
        try await SealedWorld.put("second", at: alice, in: copy)
        #expect(try await copy.verify().get().faults.isEmpty)
        copy.close()
        #expect(try world.files(below: target).isEmpty)
    }

    @Test("encrypt seals what was stored before, and leaves nothing of it in any file")
    func encrypt() async throws {
        let plain = try world.open(nil, folding: true)
        for number in 0..<700 {
            try await SealedWorld.put(
                "c\(number % 90)", "\(SealedWorld.canary) \(number)",
                at: StorageWorld.address("jar-\(number % 7)", of: number % 2 == 0 ? "acme" : "b"),
                in: plain)
        }
        plain.close()
        try Array(SealedWorld.canary.utf8).write(to: folder().copyPath(version: 1))
        #expect(try !world.files().isEmpty)
        let storage = try world.open()
        let before = try await contents(storage)
        let report = try await storage.encrypt().get()
        #expect(report.tenants == 2 && report.faults.isEmpty && report.bytes > 0)
        #expect(try world.files().isEmpty, "while it is open")
        #expect(try await contents(storage) == before)
        storage.close()
        #expect(try world.files().isEmpty)
        #expect(world.trouble(nil) == .missing)
        let again = try world.open()
        #expect(try await contents(again) == before)
        #expect(try await again.encrypt().get().faults.isEmpty)
        #expect(try await again.verify().get().faults.isEmpty)
        again.close()
        let register = KeyRegister(try FileSystem.contents(of: "\(world.data)/KEYS"))
        #expect(register?.acceptsPlain == false)
    }

    @Test("encrypt needs a key")
    func encryptWithoutKey() async throws {
        let storage = try world.open(nil)
        #expect(await storage.encrypt() == .failure(.noKey))
        storage.close()
    }

    @Test("a new key takes over: both are needed meanwhile, then the old one is not")
    func rotation() async throws {
        let first = try world.open(folding: true)
        for number in 0..<40 {
            try await SealedWorld.put("c\(number)", "\(number)", at: alice, in: first)
        }
        let before = try await contents(first)
        first.close()

        let new = try SealedWorld.newKey()
        let both = KeyRing(current: new, previous: world.key)
        let second = try world.open(both, folding: true)
        #expect(try await contents(second) == before)
        try await SealedWorld.put("c0", "0", at: StorageWorld.address("bob"), in: second)
        second.close()
        #expect(world.trouble(KeyRing(current: new)) == .previousMissing)
        #expect(world.trouble(KeyRing(current: world.key)) == .wrong)
        let third = try SealedWorld.newKey()
        #expect(world.trouble(KeyRing(current: third, previous: new)) == .rotating)

        let rotating = try world.open(both)
        let report = try await rotating.encrypt().get()
        #expect(report.faults.isEmpty && report.tenants == 1)
        rotating.close()
        #expect(world.trouble(KeyRing(current: world.key)) == .wrong)
        let after = try world.open(KeyRing(current: new))
        #expect(
            try await contents(after, [alice]) == before.filter { $0.key.contains("alice") })
        #expect(try await after.verify().get().faults.isEmpty)
        after.close()
        let database = try TenantDatabase.open(
            folder(), DirectorySealing(DataDirectory(path: world.data), KeyRing(current: new)))
        #expect(try database.dataKeyCount == 1)
        try database.close()
    }

    @Test(
        "a key is followed by a new one after its time, which the sweep's steps seal everything with"
    )
    func renewal() async throws {
        let storage = try world.open()
        for number in 0..<30 {
            try await SealedWorld.put("c\(number)", "\(number)", at: alice, in: storage)
        }
        storage.close()
        let directory = try DirectorySealing(
            DataDirectory(path: world.data), KeyRing(current: world.key))
        let database = try TenantDatabase.open(folder(), directory)
        let now = try #require(database.sealing.active).createdAt
        let soon = now.adding(seconds: 29 * 86_400)
        let late = now.adding(seconds: 30 * 86_400)
        #expect(!database.sealing.isDue(soon) && database.sealing.isDue(late))
        try database.updateKeys(soon)
        #expect(database.sealing.keys.count == 1 && !database.sealing.hasWork)
        try database.updateKeys(late)
        #expect(database.sealing.keys.count == 2 && database.sealing.hasWork)
        var steps = 0
        while try !database.reseal(limit: 8) { steps += 1 }
        #expect(steps >= 4 && database.resealing.unreadable == 0)
        try database.completeKeys()
        #expect(try database.dataKeyCount == 1 && !database.sealing.hasWork)
        #expect(database.sealing.active?.key.id == 2)
        let state = try database.load(alice.jar).state
        #expect(state[StorageWorld.store("native")].cookies.count == 30)
        try database.close()
    }

    @Test("how often a key has sealed is written down ahead, and its limit makes it due")
    func sealCount() async throws {
        let storage = try world.open()
        try await SealedWorld.put("sid", at: alice, in: storage)
        storage.close()
        let directory = try DirectorySealing(
            DataDirectory(path: world.data), KeyRing(current: world.key))
        let database = try TenantDatabase.open(folder(), directory)
        let written = try database.connection.integer("SELECT seals FROM data_key")
        #expect(written > TenantSealing.reservation)
        #expect(database.sealing.reservation(for: 1) != nil, "what was left counts as used")
        try database.write((1, DataKey.sealLimit))
        try database.close()
        let again = try TenantDatabase.open(folder(), directory)
        #expect(again.sealing.isDue(try #require(again.sealing.active).createdAt))
        try again.close()
    }

    private func contents(
        _ storage: SQLiteJarStorage, _ addresses: [JarAddress]? = nil
    ) async throws -> [String: [String: String]] {
        var jars = addresses ?? []
        if addresses == nil {
            for tenant in ["acme", "b"].compactMap({ TenantID($0.utf8) }) {
                jars += try await storage.page(of: tenant).map {
                    JarAddress(tenant: tenant, jar: $0.jar)
                }
            }
        }
        var contents: [String: [String: String]] = [:]
        for address in jars {
            let state = try await storage.load(address).state
            var values: [String: String] = [:]
            for number in 0..<90 {
                let identity = StorageWorld.identity("c\(number)")
                values["c\(number)"] = state[StorageWorld.store("native")].cookies[identity].map {
                    String(decoding: $0.value.bytes, as: UTF8.self)
                }
            }
            contents["\(address.tenant) \(address.jar)"] = values
        }
        return contents
    }
}
