// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Cookies
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("A tenant's database")
struct TenantDatabaseTests {
    private let directory: TemporaryDirectory
    private let folder: TenantFolder
    private let database: TenantDatabase
    private let jar = StorageWorld.address("alice").jar
    private let store = StorageWorld.store("native")

    init() throws {
        directory = try TemporaryDirectory()
        folder = TenantFolder(parent: directory.path, name: "acme")
        try TenantDatabase.create(folder)
        database = try TenantDatabase.open(folder)
    }

    private func commit(_ draft: JarDraft, to database: TenantDatabase? = nil) throws {
        let database = database ?? self.database
        try database.commit([
            JarCommit(
                jar: jar, number: try database.number(of: jar), changes: draft.changes,
                isPresent: draft.state.isPresent)
        ])
    }

    @Test(
        "every pragma that durability rests on is in force",
        arguments: ConnectionSettings.beforeReading + ConnectionSettings.beforeWriting)
    func pragmas(pragma: ConnectionSettings.Pragma) throws {
        #expect(try database.connection.text("PRAGMA \(pragma.name)") == pragma.answer)
    }

    @Test("the log needs no shared memory, as no other connection reads it")
    func exclusiveLog() throws {
        var draft = JarDraft(.empty)
        _ = Torture.increment(&draft)
        try commit(draft)
        #expect(!FileSystem.exists(folder.databasePath + "-shm"))
    }

    @Test("a pragma that did not take is an error")
    func verification() throws {
        let pragma = ConnectionSettings.Pragma(
            name: "synchronous", value: "NORMAL", answer: "2")
        #expect(throws: SQLiteError.self) {
            try ConnectionSettings.apply([pragma], to: database.connection)
        }
    }

    @Test(
        "octets come back as they were, NUL and what is no UTF-8 included",
        arguments: [[], [0], [0x61, 0, 0x62], [0xFF, 0xFE], Array(0...255)] as [[UInt8]])
    func octets(value: [UInt8]) throws {
        let cookie = Cookie(
            identity: CookieIdentity(
                name: value, domain: Array("example.com".utf8), hostOnly: false,
                path: [0x2F] + value, partitionKey: value.isEmpty ? nil : value),
            value: CookieValue(value), secure: true, httpOnly: true, sameSite: .strict,
            expires: Timestamp(milliseconds: .max), createdAt: Timestamp(milliseconds: -1),
            creationOrder: .max, updatedAt: Timestamp(milliseconds: 0), version: 1 << 62,
            lastAccess: Timestamp(milliseconds: .min), wasSession: true, source: .imported,
            legacy: LegacyAttributes(version: 1, comment: value, port: value))
        let change = Change(
            revision: Revision(rawValue: 1), at: StorageWorld.start, store: store,
            cause: .inserted, content: .added(cookie))
        var state = JarState.empty
        state.apply(change)
        try database.commit([
            JarCommit(jar: jar, number: nil, changes: [change], isPresent: true)
        ])
        #expect(try database.load(jar).state.contents == state.contents)
        _ = try database.fold(limit: 10)
        #expect(try database.load(jar).state.contents == state.contents)
    }

    @Test("a disk that is full refuses the write, keeps what was there, and works again later")
    func fullDisk() throws {
        var draft = JarDraft(.empty)
        _ = Torture.increment(&draft)
        try commit(draft)
        let pages = try database.connection.integer("PRAGMA page_count")
        try database.connection.execute("PRAGMA max_page_count = \(pages)", "prepare")
        var large = JarDraft(draft.state)
        for index in 0..<100 {
            _ = large.put(
                StorageWorld.cookie("c\(index)", String(repeating: "x", count: 4000)), in: store,
                rules: StorageWorld.rules, now: StorageWorld.start)
        }
        let error = #expect(throws: TransactionError.self) { try commit(large) }
        #expect(error?.cause.storageError == .full)
        #expect(error?.isInDoubt == false)
        #expect(database.connection.isIdle)
        #expect(try database.load(jar).state.contents == draft.state.contents)
        try database.connection.execute("PRAGMA max_page_count = 100000", "prepare")
        try commit(large)
        #expect(try database.load(jar).state.contents == large.state.contents)
    }

    @Test("closing fails while a statement is alive, and says so")
    func statementLeak() throws {
        #expect(database.connection.statementCount == 7)
        let leaked = try database.connection.prepare("SELECT 1")
        #expect(throws: SQLiteError.self) { try database.close() }
        withExtendedLifetime(leaked) {}
    }

    @Test("closing leaves the log as it is")
    func closing() throws {
        var draft = JarDraft(.empty)
        _ = Torture.increment(&draft)
        try commit(draft)
        try database.close()
        #expect(FileSystem.exists(folder.databasePath + "-wal"))
        let again = try TenantDatabase.open(folder)
        #expect(try again.load(jar).state.contents == draft.state.contents)
        try again.close()
    }

    @Test("renewing the log moves all of it into the file")
    func renewal() throws {
        var draft = JarDraft(.empty)
        _ = Torture.increment(&draft)
        try commit(draft)
        try database.renewLog()
        let log = try FileSystem.openForReading(folder.databasePath + "-wal").read(limit: 1)
        #expect(log.isEmpty)
        #expect(try database.load(jar).state.contents == draft.state.contents)
    }

    @Test(
        "the high-water mark reads back what was written, and nothing from what is no mark",
        arguments: [0, 1, 9, 10, 1_234_567_890, Int64.max])
    func highWaterMark(sequence: Int64) throws {
        let mark = try HighWaterMark(path: directory.file("mark"))
        #expect(try mark.read() == nil)
        try mark.write(.max)
        try mark.write(sequence)
        #expect(try mark.read() == sequence)
        let file = try FileSystem.open(directory.file("mark"))
        try file.overwrite(Array("99999999999999999999\n".utf8))
        #expect(try mark.read() == nil)
    }

    @Test("settings keep their form", arguments: [nil, 0, 604_800, Int64.max, -1])
    func settings(lifetime: Int64?) throws {
        for policy in AcceptPolicy.allCases {
            for matching in HostMatching.allCases {
                let settings = StoreSettings(
                    acceptPolicy: policy, matching: matching, sessionLifetimeSeconds: lifetime)
                #expect(try StoredSettings.decode(StoredSettings.encode(settings)) == settings)
            }
        }
        #expect(throws: SQLiteError.self) { try StoredSettings.decode([2, 0, 0]) }
        #expect(throws: SQLiteError.self) { try StoredSettings.decode([]) }
    }
}
