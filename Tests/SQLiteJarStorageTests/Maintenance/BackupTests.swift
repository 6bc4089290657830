// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Backups")
struct BackupTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var data: String { directory.file("data") }

    private func open(_ path: String, openTenants: Int = 64) throws -> SQLiteJarStorage {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: path)
        configuration.backupDirectory = directory.file("backups")
        configuration.maximumOpenTenants = openTenants
        configuration.foldThreshold = 32
        return try SQLiteJarStorage(configuration: configuration, logger: .silent)
    }

    private func backup(_ number: Int) throws -> BackupName {
        try #require(BackupName("b\(number)".utf8))
    }

    @Test("made while eight jars count hold what was acknowledged before, and no half write")
    func underWrites() async throws {
        let storage = try open(data)
        let writers = try CountingWriters(storage)
        for number in 0..<20 {
            let before = writers.counts
            let report = try await storage.backUp(as: try backup(number)).get()
            #expect(report.faults.isEmpty)
            #expect(report.tenants == 2 || before.isEmpty)
            let restored = directory.file("restored-\(number)")
            _ = try BackupRestore.run(
                from: directory.file("backups/b\(number)"), into: restored)
            let copy = try open(restored)
            for (address, count) in before {
                let state = try await copy.load(address).state
                #expect(Torture.count(in: state) >= count)
                #expect(Torture.isWhole(state))
            }
            #expect(try await copy.verify().get().faults.isEmpty)
            copy.close()
        }
        writers.stop()
        storage.close()
    }

    @Test("restored, have every revision raised, and the floor there")
    func revisions() async throws {
        let storage = try open(data)
        let address = Torture.addresses[0]
        for _ in 0..<5 { _ = try await storage.change(address, Torture.increment) }
        let before = try await storage.load(address).state
        _ = try await storage.backUp(as: try backup(1)).get()
        storage.close()
        let restored = directory.file("restored")
        let report = try BackupRestore.run(from: directory.file("backups/b1"), into: restored)
        #expect(report.tenants == 1)
        let copy = try open(restored)
        let state = try await copy.load(address).state
        #expect(state.revision.rawValue == before.revision.rawValue + 1 << 20)
        #expect(state.contents.stores == before.contents.stores)
        let written = try await copy.change(address, Torture.increment)
        #expect(written.answer == 6)
        #expect(written.snapshot.state.revision > state.revision)
        copy.close()
        let file = try Connection(path: "\(restored)/tenants/acme/jar.sqlite")
        #expect(
            try file.integer("SELECT floor FROM jar") == Int64(before.revision.rawValue) + 1 << 20)
        try file.close()
    }

    @Test("are their owner's alone, and one of each name")
    func files() async throws {
        let mask = umask(0)
        defer { umask(mask) }
        let storage = try open(data)
        _ = try await storage.change(Torture.addresses[0], Torture.increment)
        _ = try await storage.backUp(as: try backup(1)).get()
        #expect(await storage.backUp(as: try backup(1)) == .failure(.nameTaken))
        storage.close()
        let files = FileManager.default
        let top = directory.file("backups")
        #expect(try files.contentsOfDirectory(atPath: top) == ["b1"])
        for path in try files.subpathsOfDirectory(atPath: top) {
            var status = stat()
            try #require(stat("\(top)/\(path)", &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(path)")
        }
        #expect(
            try files.subpathsOfDirectory(atPath: top).sorted() == [
                "b1", "b1/BACKUP", "b1/catalogue.db", "b1/tenants", "b1/tenants/acme",
                "b1/tenants/acme/high-water",
                "b1/tenants/acme/jar.sqlite",
            ])
    }

    @Test("leave out a damaged tenant, and say so; so does the check")
    func damaged() async throws {
        let first = try open(data)
        for address in [Torture.addresses[0], Torture.addresses[7]] {
            _ = try await first.change(address, Torture.increment)
        }
        first.close()
        try Array("garbage".utf8).write(to: "\(data)/tenants/acme/jar.sqlite")
        let storage = try open(data)
        let fault = StorageFault(
            code: "storage-corrupt", tenant: Torture.addresses[0].tenant)
        let report = try await storage.backUp(as: try backup(1)).get()
        #expect(report.tenants == 1)
        #expect(report.faults == [fault])
        #expect(try await storage.verify().get().faults == [fault])
        storage.close()
        #expect(
            try BackupRestore.run(
                from: directory.file("backups/b1"), into: directory.file("new")
            ).tenants == 1)
    }

    @Test("are found damaged by the check, wherever a page lost its structure")
    func pages() async throws {
        let first = try open(data)
        for _ in 0..<40 {
            for address in Torture.addresses.prefix(4) {
                _ = try await first.change(address, Torture.increment)
            }
        }
        first.close()
        // The folded pages must be in the file itself.
        let path = "\(data)/tenants/acme/jar.sqlite"
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)", "checkpoint")
        try connection.close()
        let content = try FileSystem.contents(of: path)
        for page in 1..<(content.count / 4096) {
            var damaged = content
            // The head of a page: its type, and the number and the place of its cells.
            for offset in 0..<8 { damaged[page * 4096 + offset] ^= 0xFF }
            // What the storage before has folded lies in the log, over the page that is to be damaged.
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try damaged.write(to: path)
            let storage = try open(data)
            #expect(try await storage.verify().get().faults.count == 1, "page \(page)")
            storage.close()
        }
        try content.write(to: path)
        let storage = try open(data)
        #expect(try await storage.verify().get().faults.isEmpty)
        storage.close()
    }

    @Test("of closed tenants go through the writers, and keep to the bound of open files")
    func many() async throws {
        let storage = try open(data, openTenants: 2)
        for tenant in 0..<20 {
            _ = try await storage.change(
                StorageWorld.address("jar", of: "t\(tenant)"), Torture.increment)
        }
        #expect(try await storage.backUp(as: try backup(1)).get().tenants == 20)
        storage.close()
    }

    @Test("are refused after the storage was closed")
    func closed() async throws {
        let storage = try open(data)
        storage.close()
        #expect(await storage.backUp(as: try backup(1)) == .failure(.storage(.unavailable)))
    }
}

/// Counts eight jars up, one write after the other each, until it is stopped.
private final class CountingWriters: Sendable {
    private struct State {
        var counts: [JarAddress: Int] = [:]
        var isStopped = false
    }

    private let storage: SQLiteJarStorage
    private let state = Locked(State())

    init(_ storage: SQLiteJarStorage) throws {
        self.storage = storage
        for address in Torture.addresses { write(address) }
    }

    /// What has been acknowledged by now.
    var counts: [JarAddress: Int] { state.withLock { $0.counts } }

    func stop() { state.withLock { $0.isStopped = true } }

    private func write(_ address: JarAddress) {
        storage.write(address, operation: { Torture.increment(&$0) }) { [self] result in
            let goesOn = state.withLock { state in
                if case .success(let committed) = result {
                    state.counts[address] = committed.answer
                }
                return !state.isStopped
            }
            if goesOn { write(address) }
        }
    }
}

extension SQLiteJarStorage {
    func backUp(as name: BackupName) async -> MaintenanceResult {
        await withCheckedContinuation { continuation in
            backUp(as: name) { continuation.resume(returning: $0) }
        }
    }

    func verify() async -> MaintenanceResult {
        await withCheckedContinuation { continuation in
            verify { continuation.resume(returning: $0) }
        }
    }
}
