// SPDX-License-Identifier: Apache-2.0

import Cookies
import FoundationEssentials
import Glibc
import JarStorage
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The catalogue on disk")
struct CatalogueFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ path: String? = nil) throws -> SQLiteJarStorage {
        var configuration = SQLiteJarStorageConfiguration(
            dataDirectory: path ?? directory.file("data"))
        configuration.backupDirectory = directory.file("backups")
        return try SQLiteJarStorage(configuration: configuration, logger: .silent)
    }

    private func mode(_ name: String) -> mode_t {
        var status = Glibc.stat()
        return lstat(directory.file("data/\(name)"), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Makes a tenant with a token, and returns the pepper.
    private func fill() async throws -> [UInt8] {
        let storage = try open()
        let (tenant, token) = (
            CatalogueWorld.tenant("acme", bytes: 9), CatalogueWorld.token("a", of: "acme")
        )
        try await storage.catalogue.change {
            $0.apply(.putTenant(tenant))
            $0.apply(.putToken(token))
        }
        storage.catalogue.state.token(token.id)?.use.lastUse.store(123_456, ordering: .relaxed)
        storage.close()
        return storage.catalogue.pepper.bytes
    }

    private func expectFilled(_ storage: SQLiteJarStorage) throws {
        let state = storage.catalogue.state
        #expect(state.tenants == [CatalogueWorld.tenant("acme", bytes: 9)])
        #expect(state.tokens.map(\.record) == [CatalogueWorld.token("a", of: "acme")])
    }

    @Test("survives a restart, with the times of last use and the pepper")
    func restart() async throws {
        let pepper = try await fill()
        let storage = try open()
        try expectFilled(storage)
        #expect(storage.catalogue.state.tokens[0].use.lastUse.load(ordering: .relaxed) == 123_456)
        #expect(storage.catalogue.pepper.bytes == pepper)
        storage.close()
        #expect(mode("catalogue.db") == 0o600)
        #expect(mode("pepper") == 0o600)
    }

    @Test("has no new pepper beside tokens, but one where there are none")
    func missingPepper() async throws {
        _ = try await fill()
        unlink(directory.file("data/pepper"))
        #expect(
            throws: StorageOpenError.pepper(path: directory.file("data/pepper"), isMissing: true)
        ) {
            try open()
        }
        let empty = try open(directory.file("empty"))
        empty.close()
        unlink(directory.file("empty/pepper"))
        try open(directory.file("empty")).close()
    }

    @Test("takes no pepper that is short, or that others can read")
    func badPepper() async throws {
        _ = try await fill()
        let path = directory.file("data/pepper")
        chmod(path, 0o640)
        #expect(throws: StorageOpenError.pepper(path: path, isMissing: false)) { try open() }
        chmod(path, 0o600)
        truncate(path, 31)
        #expect(throws: StorageOpenError.pepper(path: path, isMissing: false)) { try open() }
    }

    @Test(
        "is refused, and left as it is, where it is no catalogue",
        arguments: ["", "text", "SQLite format 3\u{0}"])
    func notACatalogue(_ content: String) throws {
        try open().close()
        let path = directory.file("data/catalogue.db")
        for name in ["catalogue.db", "catalogue.db-wal"] { unlink(directory.file("data/\(name)")) }
        try Data(content.utf8).write(to: URL(filePath: path))
        #expect(throws: StorageOpenError.self) { try open() }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(content.utf8))
    }

    @Test("is in a backup, without the pepper, and comes back with it")
    func backup() async throws {
        _ = try await fill()
        let storage = try open()
        let name = try #require(BackupName("b".utf8))
        _ = try await storage.backUp(as: name).get()
        storage.close()
        let restored = directory.file("restored")
        _ = try BackupRestore.run(from: directory.file("backups/b"), into: restored)
        #expect(access(directory.file("backups/b/pepper"), F_OK) != 0)
        #expect(throws: StorageOpenError.pepper(path: "\(restored)/pepper", isMissing: true)) {
            try open(restored)
        }
        #expect(rename(directory.file("data/pepper"), "\(restored)/pepper") == 0)
        let again = try open(restored)
        try expectFilled(again)
        again.close()
    }
}
