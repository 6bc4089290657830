// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Sealing
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Answers that are kept, at rest")
struct SealedAnswerTests {
    private struct Refused: Error {}

    private let world: SealedWorld
    private let alice = StorageWorld.address("alice")

    init() throws { world = try SealedWorld() }

    /// Writes once, with an answer that holds the canary and says how often it ran before.
    private func run(_ storage: SQLiteJarStorage, _ run: Int) async throws -> String? {
        let key = WriteKey(
            key: [0x6B], fingerprint: [1], at: StorageWorld.start,
            expires: StorageWorld.start.adding(seconds: 1_000_000_000))
        let answer: OnceAnswer<Refused> = try await storage.change(alice, once: key) { _ in
            .success(Array("\(SealedWorld.canary) \(run)".utf8))
        }
        guard case .answered(let body) = answer else { return nil }
        return String(decoding: body, as: UTF8.self)
    }

    @Test("are sealed, stay readable under a new key, and are sealed when encryption begins")
    func answers() async throws {
        let first = "\(SealedWorld.canary) 1"
        let plain = try world.open(nil)
        try await SealedWorld.put("c", "other", at: alice, in: plain)
        #expect(try await run(plain, 1) == first)
        plain.close()
        #expect(try !world.files().isEmpty)

        let sealed = try world.open()
        #expect(try await sealed.encrypt().get().faults.isEmpty)
        #expect(try await run(sealed, 2) == first)
        sealed.close()
        #expect(try world.files().isEmpty)

        let new = try SealedWorld.newKey()
        let rotating = try world.open(KeyRing(current: new, previous: world.key))
        #expect(try await rotating.encrypt().get().faults.isEmpty)
        rotating.close()
        let after = try world.open(KeyRing(current: new))
        #expect(try await run(after, 3) == first)
        after.close()
        #expect(try world.files().isEmpty)
    }

    @Test("one that was put under another key opens nowhere else")
    func moved() async throws {
        let storage = try world.open()
        #expect(try await run(storage, 1) != nil)
        storage.close()
        try world.tamper("UPDATE answer SET fingerprint = x'02'")
        let again = try world.open()
        await #expect(throws: JarStorageError.integrity) { try await self.run(again, 2) }
        again.close()
    }
}
