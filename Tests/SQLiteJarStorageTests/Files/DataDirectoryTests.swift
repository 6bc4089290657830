// SPDX-License-Identifier: Apache-2.0

import Glibc
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The data directory")
struct DataDirectoryTests {
    @Test("is refused to a second one at once, and free again after closing")
    func lock() async throws {
        let directory = try TemporaryDirectory()
        let configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        let first = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        #expect(throws: StorageOpenError.alreadyLocked(path: directory.path)) {
            _ = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        }
        first.close()
        let second = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        second.close()
    }

    @Test("that cannot be made is named with its reason")
    func impossible() throws {
        #expect(
            throws: StorageOpenError.dataDirectory(
                path: "/dev/null/data", errno: ENOTDIR, operation: "make directory")
        ) {
            _ = try SQLiteJarStorage(
                configuration: SQLiteJarStorageConfiguration(dataDirectory: "/dev/null/data"),
                logger: .silent)
        }
    }

    @Test("is made with what is missing above it", arguments: ["a/b/data", "data/", "a//data"])
    func nested(path: String) throws {
        let directory = try TemporaryDirectory()
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.file(path)),
            logger: .silent)
        storage.close()
        #expect(try mode(directory.file(path)) == 0o700)
    }

    @Test("is for its owner alone, with every file in it")
    func modes() async throws {
        let directory = try TemporaryDirectory()
        let data = directory.file("data")
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: data), logger: .silent)
        _ = try await storage.change(Torture.addresses[0], Torture.increment)
        #expect(try mode(data) == 0o700)
        #expect(try mode("\(data)/tenants") == 0o700)
        #expect(try mode("\(data)/tenants/acme") == 0o700)
        for file in [
            "LOCK", "tenants/acme/jar.sqlite", "tenants/acme/jar.sqlite-wal",
            "tenants/acme/high-water",
        ] {
            #expect(try mode("\(data)/\(file)") == 0o600)
        }
        storage.close()
    }

    @Test("a folder that was left half made is made anew")
    func halfMade() async throws {
        let directory = try TemporaryDirectory()
        let draft = DataDirectory(path: directory.path).folder(of: Torture.addresses[0].tenant)
            .draft
        try FileSystem.makeDirectory(directory.file("tenants"))
        try FileSystem.makeDirectory(draft.path)
        _ = try FileSystem.open(draft.databasePath)
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
            logger: .silent)
        _ = try await storage.change(Torture.addresses[0], Torture.increment)
        #expect(!FileSystem.exists(draft.path))
        storage.close()
    }

    @Test("the version of SQLite is told, with a warning where it has the WAL-reset bug")
    func version() throws {
        let directory = try TemporaryDirectory()
        let sink = RecordingLogSink()
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
            logger: Logger(level: .info, sink: sink))
        storage.close()
        #expect(sink.lines.contains { $0.hasPrefix("use SQLite") && $0.contains("version=") })
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TemporaryDirectoryError(errno: errno) }
        return status.st_mode & 0o7777
    }
}
