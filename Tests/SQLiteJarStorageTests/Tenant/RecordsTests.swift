// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("A tenant's records on disk")
struct RecordsTests {
    private let directory: TemporaryDirectory
    private let folder: TenantFolder
    private let tenant = StorageWorld.address("alice").tenant
    private let host = StorageWorld.record("www.example.com", ["203.0.113.7", "[2001:db8::1]"])

    init() throws {
        directory = try TemporaryDirectory()
        folder = TenantFolder(parent: directory.path, name: "acme")
    }

    private func commit(
        to database: TenantDatabase, _ operation: (inout TenantDraft) -> Void
    ) throws {
        var draft = TenantDraft(database.records)
        operation(&draft)
        try database.commit([], TenantCommit(changes: draft.changes, state: draft.state))
    }

    @Test("come back after the file was closed, whatever they hold")
    func persistence() throws {
        try TenantDatabase.create(folder)
        let database = try TenantDatabase.open(folder)
        var filter = SyncFilter(
            domains: [Array("example.com".utf8), Array("[::1]".utf8)], names: [[0, 0xFF], []])
        filter.url = try CookieURL(
            parsing: Array("wss://www.example.com:444/a%2Fb/é".utf8),
            names: StorageWorld.rules.names)
        var rule = StorageWorld.rule("web", from: "*", to: "webview", filter: filter)
        var backfill = SyncBackfill(startedAt: Timestamp(milliseconds: -5))
        rule.backfill = backfill
        var second = StorageWorld.rule("a", from: "native", to: "webview", mode: .mirror)
        backfill.finishedAt = StorageWorld.start
        backfill.lastJar = StorageWorld.address("bob").jar
        backfill.jarCount = .max
        second.backfill = backfill
        let rules = [second, rule]
        try commit(to: database) { draft in
            draft.set(host)
            for rule in rules.reversed() { draft.set(rule) }
        }
        try database.close()
        let again = try TenantDatabase.open(folder)
        #expect(again.records.revision.rawValue == 3)
        #expect(again.records.hosts.records == [host])
        #expect(again.records.syncRules == rules)
        try commit(to: again) { draft in
            _ = draft.remove(host.host)
            _ = draft.removeSyncRule(rule.name)
        }
        try again.close()
        let last = try TenantDatabase.open(folder)
        #expect(last.records.hosts.isEmpty)
        #expect(last.records.syncRules == [second])
        try last.close()
    }

    @Test("a file of version 1 gets them, and keeps what it had and a copy of itself")
    func migration() throws {
        try FileSystem.makeDirectory(folder.path)
        _ = try FileSystem.open(folder.databasePath, exclusively: true)
        let connection = try Connection(path: folder.databasePath)
        let jar = StorageWorld.address("alice").jar
        try connection.execute(
            """
            PRAGMA application_id = \(Migrations.applicationID);
            \(Migrations.all[0]);
            PRAGMA user_version = 1;
            INSERT INTO change (sequence, jar, revision, at, present, kind, cause, store)
            VALUES (1, 1, 0, 7, 1, 0, 0, CAST('alice' AS BLOB));
            INSERT INTO change (sequence, jar, revision, at, present, kind, cause, store, settings)
            VALUES (2, 1, 1, 7, 1, 5, 2, CAST('native' AS BLOB), x'010100');
            """, "prepare")
        try connection.close()
        let database = try TenantDatabase.open(folder)
        #expect(try database.connection.integer("PRAGMA user_version") == Migrations.currentVersion)
        #expect(FileSystem.exists(folder.copyPath(version: 1)))
        let state = try database.load(jar).state
        #expect(state[StorageWorld.store("native")].settings.acceptPolicy == .never)
        #expect(database.records.revision == .zero)
        try commit(to: database) { $0.set(host) }
        try database.close()
        #expect(try TenantDatabase.open(folder).records.hosts.records == [host])
    }

    @Test(
        "a record that is damaged is an error for its tenant",
        arguments: [
            "UPDATE record SET body = x'00'", "UPDATE record SET body = x'01FFFFFFFFFFFFFFFF'",
            "UPDATE record SET body = CAST(body || x'00' AS BLOB)", "UPDATE record SET kind = 99",
            "UPDATE record SET kind = 2", "UPDATE record SET name = CAST('1.2.3.4' AS BLOB)",
        ])
    func damage(sql: String) throws {
        try TenantDatabase.create(folder)
        let database = try TenantDatabase.open(folder)
        try commit(to: database) { $0.set(host) }
        try database.connection.execute(sql, "damage")
        try database.close()
        let error = #expect(throws: TenantOpenError.self) { _ = try TenantDatabase.open(folder) }
        #expect(error?.storageError == .corrupt)
    }
}
