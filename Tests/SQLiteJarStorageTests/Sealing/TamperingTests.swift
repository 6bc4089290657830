// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JarStorage
import Sealing
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("What was changed behind the storage's back")
struct TamperingTests {
    private let world: SealedWorld
    private let alice = StorageWorld.address("alice")
    private let bob = StorageWorld.address("bob")

    /// Alice and Bob have two cookies each, folded or in the log.
    private init(folding: Bool) async throws {
        world = try SealedWorld()
        let storage = try world.open(folding: folding)
        for (address, name) in [(alice, "a"), (bob, "b")] {
            try await SealedWorld.put("sid", "old-\(name)", at: address, in: storage)
            try await SealedWorld.put("sid", "new-\(name)", at: address, in: storage)
            try await SealedWorld.put("second", "second-\(name)", at: address, in: storage)
        }
        storage.close()
    }

    init() async throws { try await self.init(folding: true) }

    /// Opens the storage and expects Alice's jar to be refused, Bob's and the tenant to be well.
    private func expectRefusal(_ comment: Comment) async throws {
        let sink = RecordingLogSink()
        let storage = try world.open(KeyRing(current: world.key), sink: sink)
        for _ in 0..<2 {
            await #expect(throws: JarStorageError.integrity, comment) {
                try await storage.load(alice)
            }
        }
        #expect(try await SealedWorld.value("sid", at: bob, in: storage) == "new-b", comment)
        try await SealedWorld.put("third", at: bob, in: storage)
        #expect(storage.health().isEmpty)
        let report = try await storage.verify().get()
        #expect(report.faults.map(\.code) == ["integrity-failure"], comment)
        storage.close()
        let said = sink.lines.filter { $0.contains("a value is not what was stored") }
        #expect(said.count == 1)
        #expect(!sink.lines.joined().contains("new-"))
    }

    private static let alices = "jar = (SELECT id FROM jar WHERE name = CAST('alice' AS BLOB))"
    private static let bobs = "jar = (SELECT id FROM jar WHERE name = CAST('bob' AS BLOB))"
    private static let sid = "name = CAST('sid' AS BLOB)"

    @Test(
        "a value in another's place, an old one in a new one's, a column changed: its jar is refused, and that alone",
        arguments: [
            "value = (SELECT value FROM cookie WHERE \(bobs) AND \(sid))",
            "value = (SELECT value FROM cookie WHERE \(alices) AND NOT \(sid))",
            "value = (SELECT value FROM change WHERE \(alices) AND \(sid) ORDER BY sequence LIMIT 1)",
            "value = CAST('plain' AS BLOB), attributes = attributes & ~8",
            "value = CAST('plain' AS BLOB)", "value = x''", "attributes = attributes & ~8",
            "attributes = attributes | 2", "attributes = attributes | 65280",
            "expires = 1", "version = version + 1", "created_at = created_at + 1",
            "updated_at = updated_at + 1", "creation_order = creation_order + 1",
            "store = CAST('other' AS BLOB)", "domain = CAST('evil.example' AS BLOB)",
            "live = 0", "name = CAST('sid2' AS BLOB)", "path = CAST('/x' AS BLOB)",
            "scope = 1 - (scope & 1)",
            "scope = scope | 2", "partition_key = CAST('x' AS BLOB), scope = scope | 2",
        ])
    func row(change: String) async throws {
        try world.tamper("UPDATE cookie SET \(change) WHERE \(Self.alices) AND \(Self.sid)")
        try await expectRefusal("\(change)")
    }

    @Test("two jars that have changed names are both refused")
    func swappedJars() async throws {
        try world.tamper(
            """
            UPDATE jar SET name = CAST('x' AS BLOB) WHERE name = CAST('alice' AS BLOB);
            UPDATE jar SET name = CAST('alice' AS BLOB) WHERE name = CAST('bob' AS BLOB);
            UPDATE jar SET name = CAST('bob' AS BLOB) WHERE name = CAST('x' AS BLOB)
            """)
        let storage = try world.open()
        for address in [alice, bob] {
            await #expect(throws: JarStorageError.integrity) { try await storage.load(address) }
        }
        storage.close()
    }

    @Test("a change in the log is held to the same: its jar's load and feed are refused")
    func log() async throws {
        let tests = try await TamperingTests(folding: false)
        try tests.world.tamper(
            """
            UPDATE change SET value = (SELECT value FROM change WHERE sequence = 3)
            WHERE sequence = 2
            """)
        let storage = try tests.world.open()
        await #expect(throws: JarStorageError.integrity) { try await storage.load(alice) }
        await #expect(throws: JarStorageError.integrity) {
            try await storage.feed(of: alice, since: 0)
        }
        #expect(try await SealedWorld.value("sid", at: bob, in: storage) == "new-b")
        storage.close()
    }

    @Test("the time of its last use may change: it is written by itself")
    func lastAccess() async throws {
        try world.tamper("UPDATE cookie SET last_access = last_access + 1")
        let storage = try world.open()
        #expect(try await SealedWorld.value("sid", at: alice, in: storage) == "new-a")
        storage.close()
    }

    @Test(
        "keys that were changed or taken away close the tenant",
        arguments: [
            "DELETE FROM data_key", "UPDATE data_key SET complete = 0",
            "UPDATE data_key SET created_at = created_at + 1", "UPDATE data_key SET id = id + 1",
            "UPDATE data_key SET wrapped = zeroblob(69)",
            "UPDATE data_key SET wrapped = x''",
        ])
    func keys(change: String) async throws {
        try world.tamper(change)
        let storage = try world.open()
        await #expect(throws: JarStorageError.corrupt) { try await storage.load(alice) }
        storage.close()
    }

    @Test(
        "a bit flipped in 200 random places of the file: never another value, and verify finds it")
    func flippedBits() async throws {
        let path = "\(world.data)/tenants/acme/jar.sqlite"
        let settle = try Connection(path: path)
        _ = try settle.text("PRAGMA wal_checkpoint(TRUNCATE)")
        try settle.close()
        let whole = try FileSystem.contents(of: path)
        let expected = try await contents()
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<200 {
            let bit = Int.random(in: 0..<(whole.count * 8), using: &generator)
            var bytes = whole
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            try Data(bytes).write(to: URL(filePath: path))
            let found = try await contents()
            for (place, value) in found {
                let isRight = value == nil || value == "absent" || value == expected[place]
                #expect(isRight, "bit \(bit) at \(place)")
            }
            if found != expected {
                let storage = try world.open()
                #expect(try await storage.verify().get().faults.count == 1, "bit \(bit)")
                storage.close()
            }
        }
    }

    /// Every cookie that is read, as text; nil for a jar that is refused.
    private func contents() async throws -> [String: String?] {
        let storage = try world.open()
        defer { storage.close() }
        var contents: [String: String?] = [:]
        for address in [alice, bob] {
            for name in ["sid", "second"] {
                contents["\(address.jar) \(name)"] =
                    try? await SealedWorld.value(name, at: address, in: storage) ?? "absent"
            }
        }
        return contents
    }
}
