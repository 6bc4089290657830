// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JarStorage
import Sealing
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Keys and data directories")
struct KeyTroubleTests {
    private let world: SealedWorld
    private let alice = StorageWorld.address("alice")

    init() throws { world = try SealedWorld() }

    private func fill(_ keys: KeyRing?) async throws {
        let storage = try world.open(keys)
        try await SealedWorld.put("sid", at: alice, in: storage)
        storage.close()
    }

    private func register() throws -> [UInt8] {
        try FileSystem.contents(of: "\(world.data)/KEYS")
    }

    @Test("the right key opens; none, and another one, are refused and change nothing")
    func wrongKey() async throws {
        try await fill(KeyRing(current: world.key))
        let before = try register()
        #expect(world.trouble(nil) == .missing)
        #expect(try world.trouble(KeyRing(current: SealedWorld.newKey())) == .wrong)
        #expect(
            try world.trouble(
                KeyRing(current: SealedWorld.newKey(), previous: SealedWorld.newKey())) == .wrong)
        #expect(try register() == before)
        let storage = try world.open()
        #expect(
            try await SealedWorld.value("sid", at: alice, in: storage) == SealedWorld.canary)
        storage.close()
    }

    @Test("a directory without a key has no KEYS, and one that holds data gets none from a start")
    func plainStaysPlain() async throws {
        try await fill(nil)
        #expect(!FileSystem.exists("\(world.data)/KEYS"))
        let sink = RecordingLogSink()
        let storage = try world.open(KeyRing(current: world.key), sink: sink)
        try await SealedWorld.put("second", at: alice, in: storage)
        storage.close()
        #expect(sink.lines.contains { $0.contains("not encrypted; run cookiesync encrypt") })
        #expect(!FileSystem.exists("\(world.data)/KEYS"))
        #expect(try !world.files().isEmpty)
        #expect(world.trouble(nil) == nil)
    }

    @Test("a key of the same id that gives another check value is another key")
    func checkValue() throws {
        let register = KeyRegister(acceptsPlain: false, keys: [KeyRegister.Entry(world.key)])
        let text = String(decoding: try register.text(signedBy: world.key), as: UTF8.self)
        #expect(KeyRegister(Array(text.utf8))?.keys.first?.fits(world.key) == true)
        let check = Hexadecimal.text(world.key.checkValue)
        let other = (check.hasPrefix("0") ? "1" : "0") + check.dropFirst()
        let changed = KeyRegister(Array(text.replacing(check, with: other).utf8))
        #expect(changed?.keys.first?.id == world.key.id)
        #expect(changed?.keys.first?.fits(world.key) == false)
    }

    @Test("KEYS is its owner's alone, holds nothing of the key, and is signed")
    func registerFile() async throws {
        let bytes = try #require(KeyBytes([UInt8](repeating: 0x41, count: 32)))
        let keys = KeyRing(current: try MasterKey(bytes))
        try await fill(keys)
        var status = stat()
        #expect(stat("\(world.data)/KEYS", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let text = String(decoding: try register(), as: UTF8.self)
        #expect(!text.contains("4141") && !text.contains("AAAA"))
        for (old, new) in [
            ("state sealed", "state sealing"), ("signature ", "signature 00"),
            ("cookiesync keys 1", "cookiesync keys 2"),
        ] {
            try text.replacing(old, with: new).write(
                toFile: "\(world.data)/KEYS", atomically: false, encoding: .utf8)
            #expect(world.trouble(keys) == .damaged, "\(old)")
        }
    }

    @Test("what is no register is refused", arguments: ["", "\n", "x\n", "cookiesync keys 1\n"])
    func notARegister(text: String) async throws {
        try await fill(KeyRing(current: world.key))
        try Data(text.utf8).write(to: URL(filePath: "\(world.data)/KEYS"))
        #expect(world.trouble(KeyRing(current: world.key)) == .damaged)
    }

    @Test("a tenant's file that came from elsewhere is refused, alone")
    func foreignTenant() async throws {
        try await fill(KeyRing(current: world.key))
        let other = try SealedWorld()
        let storage = try other.open()
        for address in [alice, StorageWorld.address("alice", of: "other")] {
            try await SealedWorld.put("sid", at: address, in: storage)
        }
        storage.close()
        try FileSystem.removeDirectory("\(other.data)/tenants/acme")
        try FileManager.default.copyItem(
            atPath: "\(world.data)/tenants/acme", toPath: "\(other.data)/tenants/acme")
        let again = try other.open()
        await #expect(throws: JarStorageError.corrupt) { try await again.load(alice) }
        let well = StorageWorld.address("alice", of: "other")
        #expect(try await SealedWorld.value("sid", at: well, in: again) == SealedWorld.canary)
        again.close()
    }

    @Test("a plain tenant's file put among sealed ones is refused, and so is the reverse")
    func mixedTenants() async throws {
        try await fill(KeyRing(current: world.key))
        let other = try SealedWorld()
        let plain = try other.open(nil)
        try await SealedWorld.put("sid", at: StorageWorld.address("alice", of: "plain"), in: plain)
        plain.close()
        let files = FileManager.default
        try files.copyItem(
            atPath: "\(other.data)/tenants/plain", toPath: "\(world.data)/tenants/plain")
        try files.copyItem(
            atPath: "\(world.data)/tenants/acme", toPath: "\(other.data)/tenants/acme")
        let sealed = try world.open()
        await #expect(throws: JarStorageError.corrupt) {
            try await sealed.load(StorageWorld.address("alice", of: "plain"))
        }
        sealed.close()
        let open = try other.open(nil)
        await #expect(throws: JarStorageError.corrupt) { try await open.load(alice) }
        open.close()
    }
}
