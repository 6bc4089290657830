// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Logs that were cut or changed anywhere")
struct TornLogTests {
    private let directory: TemporaryDirectory
    private let address = Torture.addresses[0]
    private let log: [UInt8]
    private let database: [UInt8]
    private let mark: [UInt8]
    private static let writes = 12

    init() async throws {
        directory = try TemporaryDirectory()
        let storage = try Self.open(directory)
        for _ in 0..<Self.writes { _ = try await storage.change(address, Torture.increment) }
        storage.close()
        let folder = directory.file("tenants/acme")
        log = try FileSystem.contents(of: "\(folder)/jar.sqlite-wal")
        database = try FileSystem.contents(of: "\(folder)/jar.sqlite")
        mark = try FileSystem.contents(of: "\(folder)/high-water")
    }

    private static func open(_ directory: TemporaryDirectory) throws -> SQLiteJarStorage {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.idleFoldMilliseconds = 3_600_000
        return try SQLiteJarStorage(configuration: configuration, logger: .silent)
    }

    private func put(_ log: [UInt8], _ mark: [UInt8]) throws {
        let folder = directory.file("tenants/acme")
        for (name, content) in [
            ("jar.sqlite", database), ("jar.sqlite-wal", log), ("high-water", mark),
        ] {
            try content.write(to: "\(folder)/\(name)")
        }
    }

    /// The loss is named while the mark is there; without it, what is served is whole writes up to one of them.
    private func expectNoSilentLoss(_ log: [UInt8], _ comment: Comment) async throws {
        try put(log, mark)
        let first = try Self.open(directory)
        await #expect(throws: JarStorageError.corrupt, comment) { try await first.load(address) }
        first.close()
        try put(log, [])
        let second = try Self.open(directory)
        let state = try await second.load(address).state
        #expect((0..<Self.writes).contains(Torture.count(in: state)), comment)
        #expect(Torture.isWhole(state), comment)
        second.close()
    }

    @Test("R19: cut at 200 random offsets")
    func cuts() async throws {
        var generator = SeededGenerator(seed: 19)
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<log.count, using: &generator)
            try await expectNoSilentLoss(Array(log[..<offset]), "cut at \(offset)")
        }
    }

    @Test("R19: a bit flipped in 100 random places")
    func flips() async throws {
        var generator = SeededGenerator(seed: 91)
        for _ in 0..<100 {
            let bit = Int.random(in: 0..<(log.count * 8), using: &generator)
            var changed = log
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            try await expectNoSilentLoss(changed, "bit \(bit)")
        }
    }

    @Test("R20: the log of another database in its place, which ends earlier")
    func swapped() async throws {
        let other = try TemporaryDirectory()
        let storage = try Self.open(other)
        for _ in 0..<(Self.writes / 2) { _ = try await storage.change(address, Torture.increment) }
        storage.close()
        try put(try FileSystem.contents(of: other.file("tenants/acme/jar.sqlite-wal")), mark)
        let first = try Self.open(directory)
        await #expect(throws: JarStorageError.corrupt) { try await first.load(address) }
        first.close()
    }
}
