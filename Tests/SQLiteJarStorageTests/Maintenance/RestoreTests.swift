// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Restoring a backup")
struct RestoreTests {
    private let directory: TemporaryDirectory
    private var backup: String { directory.file("data/backups/b") }

    init() async throws {
        directory = try TemporaryDirectory()
        let storage = try Self.open(directory.file("data"))
        for address in [Torture.addresses[0], Torture.addresses[7]] {
            _ = try await storage.change(address, Torture.increment)
        }
        let name = try #require(BackupName("b".utf8))
        _ = try await storage.backUp(as: name).get()
        storage.close()
    }

    private static func open(_ path: String) throws -> SQLiteJarStorage {
        try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: path), logger: .silent)
    }

    private func refusal(into path: String, from backup: String? = nil) -> RestoreError? {
        do {
            _ = try BackupRestore.run(from: backup ?? self.backup, into: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("is refused onto a directory that has anything in it")
    func notFresh() throws {
        #expect(refusal(into: directory.file("data")) == .notFresh(path: directory.file("data")))
        let path = directory.file("other")
        try #require(mkdir(path, 0o700) == 0)
        try [1].write(to: "\(path)/file")
        #expect(refusal(into: path) == .notFresh(path: path))
        try #require(unlink("\(path)/file") == 0)
        #expect(refusal(into: path) == nil)
    }

    @Test("is refused from what is no complete backup")
    func notABackup() throws {
        let path = directory.file("new")
        let data = directory.file("data")
        #expect(refusal(into: path, from: data) == .notABackup(path: data))
        try #require(unlink("\(backup)/BACKUP") == 0)
        #expect(refusal(into: path) == .notABackup(path: backup))
    }

    @Test("notices a tenant that is gone, cut short or put back older")
    func damaged() throws {
        let file = "\(backup)/tenants/acme/jar.sqlite"
        let content = try FileSystem.contents(of: file)
        let tenant = Torture.addresses[0].tenant
        try content.dropLast(5000).write(to: file)
        #expect(refusal(into: directory.file("a")) == .damaged(tenant: tenant))
        let manifest = try FileSystem.contents(of: "\(backup)/BACKUP")
        try content.write(to: file)
        let other = String(decoding: manifest, as: UTF8.self)
            .replacing("acme 2", with: "acme 3")
        try Array(other.utf8).write(to: "\(backup)/BACKUP")
        #expect(refusal(into: directory.file("b")) == .damaged(tenant: tenant))
        try #require(unlink(file) == 0)
        #expect(refusal(into: directory.file("c")) == .damaged(tenant: tenant))
    }

    @Test("cut short leaves a directory that is neither served nor restored into")
    func cutShort() throws {
        let file = "\(backup)/tenants/other/jar.sqlite"
        try #require(unlink(file) == 0)
        let path = directory.file("new")
        #expect(refusal(into: path) != nil)
        #expect(throws: StorageOpenError.notServable(path: path, isBackup: false)) {
            try Self.open(path)
        }
        #expect(refusal(into: path) == .notFresh(path: path))
    }

    @Test("is needed: a backup itself is not served")
    func notServed() throws {
        #expect(throws: StorageOpenError.notServable(path: backup, isBackup: true)) {
            try Self.open(backup)
        }
    }
}

extension Collection<UInt8> {
    /// Puts the bytes in the place of what the file holds.
    func write(to path: String) throws {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = Array(self)
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }
}
