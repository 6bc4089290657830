// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FoundationEssentials
import Glibc
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Files that cannot be used")
struct DamagedFilesTests {
    private let address = Torture.addresses[0]
    private let other = Torture.addresses[7]

    /// A directory in which both tenants have written so often.
    private func prepare(_ count: Int = 3) async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let storage = try open(directory)
        for _ in 0..<count {
            _ = try await storage.change(address, Torture.increment)
            _ = try await storage.change(other, Torture.increment)
        }
        storage.close()
        return directory
    }

    private func open(
        _ directory: TemporaryDirectory, _ sink: RecordingLogSink = RecordingLogSink()
    ) throws -> SQLiteJarStorage {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        // What stands last in the log must be a change, not the folding of changes on a machine that is slow.
        configuration.idleFoldMilliseconds = 3_600_000
        return try SQLiteJarStorage(
            configuration: configuration, logger: Logger(level: .warning, sink: sink))
    }

    /// Opens the storage and expects the first tenant to be refused so, and the other one to work.
    private func expectRefusal(
        _ error: JarStorageError, _ code: String, in directory: TemporaryDirectory
    ) async throws -> [String] {
        let sink = RecordingLogSink()
        let storage = try open(directory, sink)
        let address = self.address
        await #expect(throws: error) { try await storage.load(address) }
        await #expect(throws: error) { try await storage.change(address, Torture.increment) }
        _ = try await storage.change(other, Torture.increment)
        #expect(storage.health() == [StorageFault(code: code, tenant: address.tenant)])
        storage.close()
        return sink.lines
    }

    @Test(
        "a file that is no database is left as it is, and concerns its tenant alone",
        arguments: [[], Array("hello".utf8), [UInt8](repeating: 0x41, count: 8192)])
    func notADatabase(content: [UInt8]) async throws {
        let directory = try await prepare()
        let path = directory.file("tenants/acme/jar.sqlite")
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        try Data(content).write(to: URL(filePath: path))
        _ = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == content)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
    }

    @Test("the database of another program is left as it is")
    func foreignDatabase() async throws {
        let directory = try await prepare()
        let path = directory.file("tenants/acme/jar.sqlite")
        let connection = try Connection(path: path)
        try connection.execute(
            "PRAGMA application_id = 1; PRAGMA wal_checkpoint(TRUNCATE)", "prepare")
        try connection.close()
        let before = try Data(contentsOf: URL(filePath: path))
        _ = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("a database file that is missing is noticed, and no new one is made in its place")
    func missingFile() async throws {
        let directory = try await prepare()
        let path = directory.file("tenants/acme/jar.sqlite")
        try FileManager.default.removeItem(atPath: path)
        _ = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
        #expect(!FileSystem.exists(path))
    }

    @Test("a newer schema is refused and left as it is")
    func newerSchema() async throws {
        let directory = try await prepare()
        let path = directory.file("tenants/acme/jar.sqlite")
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA user_version = 99", "prepare")
        try connection.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let lines = try await expectRefusal(.schemaTooNew, "schema-too-new", in: directory)
        #expect(lines.contains { $0.contains("schema version 99") })
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("a log that was cut off is noticed, and the loss is named", arguments: [0, 1, 100, 5000])
    func tornLog(cut: Int) async throws {
        let directory = try await prepare(30)
        let path = directory.file("tenants/acme/jar.sqlite-wal")
        let log = try Data(contentsOf: URL(filePath: path))
        let rest = cut == 0 ? Data() : log.prefix(log.count - cut)
        try rest.write(to: URL(filePath: path))
        let lines = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
        #expect(lines.contains { $0.contains("acknowledged changes are missing") })
    }

    @Test("an old copy that was put back is noticed")
    func oldCopy() async throws {
        let directory = try await prepare()
        let files = ["jar.sqlite", "jar.sqlite-wal"].map { directory.file("tenants/acme/\($0)") }
        let old = try files.map { try Data(contentsOf: URL(filePath: $0)) }
        let storage = try open(directory)
        _ = try await storage.change(address, Torture.increment)
        storage.close()
        for (file, content) in zip(files, old) { try content.write(to: URL(filePath: file)) }
        _ = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
    }

    @Test("a high-water mark that a power cut left empty is no reason to refuse")
    func emptyMark() async throws {
        let directory = try await prepare()
        try Data().write(to: URL(filePath: directory.file("tenants/acme/high-water")))
        let storage = try open(directory)
        #expect(try await Torture.count(in: storage.load(address).state) == 3)
        storage.close()
    }

    @Test("a damaged page is an error for its tenant, never a wrong answer")
    func damagedPage() async throws {
        let directory = try await prepare()
        let path = directory.file("tenants/acme/jar.sqlite")
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)", "prepare")
        try connection.close()
        var bytes = try Array(Data(contentsOf: URL(filePath: path)))
        for page in 1..<(bytes.count / 4096) {
            for offset in 0..<16 { bytes[page * 4096 + offset] = 0xFF }
        }
        try Data(bytes).write(to: URL(filePath: path))
        _ = try await expectRefusal(.corrupt, "storage-corrupt", in: directory)
    }
}
