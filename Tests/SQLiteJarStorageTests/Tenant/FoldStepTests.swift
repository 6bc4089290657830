// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Folding step by step")
struct FoldStepTests {
    private let directory: TemporaryDirectory
    private let folder: TenantFolder
    private let jars = (0..<4).map { StorageWorld.address("jar-\($0)").jar }

    init() throws {
        directory = try TemporaryDirectory()
        folder = TenantFolder(parent: directory.path, name: "acme")
        try TenantDatabase.create(folder)
    }

    private func commit(
        _ draft: JarDraft, to jar: JarID, in database: TenantDatabase
    ) throws {
        guard !draft.changes.isEmpty else { return }
        try database.commit([
            JarCommit(
                jar: jar, number: try database.number(of: jar), changes: draft.changes,
                isPresent: draft.state.isPresent)
        ])
    }

    /// A jar with so many cookies, each set `times` times.
    private func fill(
        _ jar: JarID, cookies: Int, times: Int = 1, octets: Int = 8, in database: TenantDatabase
    ) throws -> JarDraft {
        var draft = JarDraft(.empty)
        for time in 0..<times {
            for number in 0..<cookies {
                _ = draft.put(
                    StorageWorld.cookie("c\(number)", String(repeating: "\(time)", count: octets)),
                    in: FoldingTests.stores[0], rules: StorageWorld.rules,
                    now: StorageWorld.start)
            }
        }
        try commit(draft, to: jar, in: database)
        return draft
    }

    /// What was written, how often it was folded and reopened in between does not matter: the tables alone give the
    /// state that a replay of all changes gives, and the feed all the changes.
    @Test("tables and feed say what a replay of the changes says", arguments: 0..<24)
    func replay(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var database = try TenantDatabase.open(folder)
        var changes: [JarID: [Change]] = [:]
        for _ in 0..<120 {
            let jar = jars.randomElement(using: &generator) ?? jars[0]
            var draft = JarDraft(replayed(changes[jar] ?? []))
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                FoldingTests.operation(&generator)(&draft)
            }
            try commit(draft, to: jar, in: database)
            changes[jar, default: []] += draft.changes
            if Int.random(in: 0..<5, using: &generator) == 0 {
                _ = try database.fold(
                    limit: .random(in: 1...6, using: &generator),
                    octets: .random(in: 1...2000, using: &generator))
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                try database.close()
                database = try TenantDatabase.open(folder)
            }
            try check(jar, changes[jar] ?? [], in: database)
        }
        try database.foldAll()
        try database.close()
        database = try TenantDatabase.open(folder)
        #expect(database.unfoldedCount == 0)
        #expect(database.foldedSequence == database.lastSequence)
        for jar in jars { try check(jar, changes[jar] ?? [], in: database) }
        try database.close()
    }

    private func replayed(_ changes: [Change]) -> JarState {
        var state = JarState.empty
        for change in changes { state.apply(change) }
        return state
    }

    private func check(
        _ jar: JarID, _ changes: [Change], in database: TenantDatabase
    ) throws {
        #expect(try database.load(jar).state.contents == replayed(changes).contents)
        let all = try database.changes(of: jar, since: .zero, limit: .max)
        #expect(all.changes == changes)
        guard let middle = changes.dropFirst(changes.count / 2).first?.revision else { return }
        let page = try database.changes(of: jar, since: middle, limit: 3)
        #expect(page.changes == Array(changes.filter { $0.revision > middle }.prefix(3)))
    }

    @Test("a cookie older than a deletion that was meant drops it, though another one follows")
    func olderContent() throws {
        let database = try TenantDatabase.open(folder)
        let store = FoldingTests.stores[0]
        var draft = try fill(jars[0], cookies: 1, in: database)
        let identity = try #require(draft.changes.first.flatMap(cookie)).identity
        draft = JarDraft(draft.state)
        _ = draft.delete(identity, in: store, now: StorageWorld.start)
        try commit(draft, to: jars[0], in: database)
        try database.foldAll()
        var state = draft.state
        for version in [1, 4] as [UInt64] {
            let cookie = Cookie(
                identity: identity, value: CookieValue([UInt8(version)]), secure: false,
                httpOnly: false, sameSite: .lax, expires: nil, createdAt: StorageWorld.start,
                creationOrder: 1, updatedAt: StorageWorld.start, version: version,
                lastAccess: StorageWorld.start, wasSession: false, source: .put)
            let change = Change(
                revision: state.revision.next, at: StorageWorld.start, store: store,
                cause: .synced, content: version == 1 ? .added(cookie) : .changed(cookie))
            state.apply(change)
            try database.commit([
                JarCommit(
                    jar: jars[0], number: try database.number(of: jars[0]), changes: [change],
                    isPresent: true)
            ])
        }
        #expect(state[store].tombstones.isEmpty)
        try database.foldAll()
        #expect(try database.load(jars[0]).state.contents == state.contents)
        try database.close()
    }

    private func cookie(_ change: Change) -> Cookie? {
        if case .added(let cookie) = change.content { cookie } else { nil }
    }

    @Test("is bounded in each step, survives reopening at any point, and ends")
    func steps() throws {
        var database = try TenantDatabase.open(folder)
        let draft = try fill(jars[0], cookies: 20, times: 3, in: database)
        var steps = 0
        while true {
            #expect(try database.load(jars[0]).state.contents == draft.state.contents)
            #expect(
                try database.list(after: nil, limit: 9).map(\.revision) == [draft.state.revision])
            let rows = try database.connection.integer("SELECT count(*) FROM cookie")
            guard try database.fold(limit: 2) else { break }
            let grown = try database.connection.integer("SELECT count(*) FROM cookie") - rows
            #expect(0...2 ~= grown)
            steps += 1
            try database.close()
            database = try TenantDatabase.open(folder)
        }
        // A row for each cookie, another one for the store.
        #expect(10...11 ~= steps)
        #expect(database.foldedSequence == database.lastSequence)
        let feed = try database.changes(of: jars[0], since: .zero, limit: .max)
        #expect(feed.changes == draft.changes)
        try database.close()
    }

    @Test("takes no more octets at a time than it may, but one row at least")
    func octets() throws {
        let database = try TenantDatabase.open(folder)
        _ = try fill(jars[0], cookies: 12, octets: 3000, in: database)
        var steps = 0
        while try database.fold(limit: 1000, octets: 10_000) { steps += 1 }
        #expect(steps == 4)
        _ = try fill(jars[1], cookies: 3, octets: 3000, in: database)
        while try database.fold(limit: 1000, octets: 1) { steps += 1 }
        #expect(steps == 7)
        try database.close()
    }

    @Test("writes one row for a cookie that was set again and again, and finds all its changes")
    func superseded() throws {
        let database = try TenantDatabase.open(folder)
        let draft = try fill(jars[0], cookies: 3, times: 300, in: database)
        let writes = try database.connection.integer("SELECT total_changes()")
        #expect(try database.fold(limit: 100))
        #expect(database.unfoldedCount == 0)
        // Jar twice, store, cookies, position, and the runs of 256 changes.
        let written = try database.connection.integer("SELECT total_changes()") - writes
        #expect(written == 2 + 1 + 3 + 1 + 4)
        #expect(try database.load(jars[0]).state.contents == draft.state.contents)
        for since in [0, 1, 255, 256, 257, 511, 899, 900] as [UInt64] {
            let feed = try database.changes(
                of: jars[0], since: Revision(rawValue: since), limit: 300)
            #expect(feed.changes == Array(draft.changes.dropFirst(Int(since)).prefix(300)))
        }
        try database.close()
    }

    @Test("a jar that is too large for one step does not keep the others waiting")
    func fairness() throws {
        let database = try TenantDatabase.open(folder)
        _ = try fill(jars[0], cookies: 50, in: database)
        for jar in jars.dropFirst() { _ = try fill(jar, cookies: 1, in: database) }
        _ = try database.fold(limit: 10)
        _ = try database.fold(limit: 10)
        for jar in jars.dropFirst() {
            let number = try #require(try database.number(of: jar))
            #expect(database.tail.jars[number] == nil)
        }
        // Up to where everything is folded lies before what is left of the first.
        let first = try #require(database.tail.jars.values.first?.first)
        #expect(database.foldedSequence == first - 1)
        try database.foldAll()
        #expect(database.foldedSequence == database.lastSequence)
        try database.close()
    }

    @Test("a step that fails leaves everything as it was, and can be done again")
    func failure() throws {
        let database = try TenantDatabase.open(folder)
        let draft = try fill(jars[0], cookies: 20, octets: 3000, in: database)
        let count = database.unfoldedCount
        let pages = try database.connection.integer("PRAGMA page_count")
        try database.connection.execute("PRAGMA max_page_count = \(pages)", "prepare")
        #expect(throws: TransactionError.self) { try database.fold(limit: 1000) }
        #expect(database.unfoldedCount == count)
        #expect(database.foldedSequence == 0)
        #expect(try database.load(jars[0]).state.contents == draft.state.contents)
        try database.connection.execute("PRAGMA max_page_count = 100000", "prepare")
        try database.foldAll()
        #expect(database.unfoldedCount == 0)
        #expect(try database.load(jars[0]).state.contents == draft.state.contents)
        try database.close()
    }

    @Test("a run of changes that does not add up is damage")
    func damagedRun() throws {
        let database = try TenantDatabase.open(folder)
        _ = try fill(jars[0], cookies: 2, times: 2, in: database)
        try database.foldAll()
        for octets in [
            "80", "01", "7F01", "FFFFFFFFFFFFFFFFFFFF01", "0001", "0100", "01FFFFFFFF0F",
            "00FFFFFFFFFFFFFFFF7F00FFFFFFFFFFFFFFFF7F",
        ] {
            try database.connection.execute(
                "UPDATE jar_change SET earlier = x'\(octets)'", "prepare")
            #expect(throws: SQLiteError.self) {
                try database.changes(of: jars[0], since: .zero, limit: 9)
            }
        }
        try database.close()
    }

    @Test(
        "a tail whose changes are in no order, or that names a jar twice, is damage",
        arguments: [
            "UPDATE change SET revision = 71 WHERE revision = 2",
            "UPDATE change SET revision = -2 WHERE revision = 2",
            "UPDATE change SET revision = 0 WHERE revision = 1 AND kind <> 0",
            "UPDATE change SET kind = 0 WHERE revision = 3",
        ])
    func damagedTail(damage: String) throws {
        var database = try TenantDatabase.open(folder)
        _ = try fill(jars[0], cookies: 2, times: 2, in: database)
        try database.connection.execute(damage, "prepare")
        try database.close()
        #expect(throws: (any Error).self) {
            database = try TenantDatabase.open(folder)
            try database.foldAll()
        }
    }

    /// Rows that others follow are in no table while the jar is half folded: copies that a tombstone stands against.
    @Test("a tombstone of a jar that is half folded is kept")
    func tombstones() throws {
        let database = try TenantDatabase.open(folder)
        let (one, other) = (FoldingTests.stores[0], FoldingTests.stores[1])
        var draft = try fill(jars[0], cookies: 1, in: database)
        let identity = try #require(draft.changes.first.flatMap(cookie)).identity
        draft = JarDraft(draft.state)
        let merge = SyncRequest(from: one, to: other, mode: .merge)
        _ = draft.sync(merge, rules: StorageWorld.rules, now: StorageWorld.start)
        _ = draft.delete(identity, in: other, now: StorageWorld.start)
        try commit(draft, to: jars[0], in: database)
        // The same content again, under a later row.
        var state = draft.state
        let copy = try #require(state[one].cookies[identity])
        let change = Change(
            revision: state.revision.next, at: StorageWorld.start, store: one, cause: .promoted,
            content: .changed(copy))
        state.apply(change)
        try database.commit([
            JarCommit(
                jar: jars[0], number: try database.number(of: jars[0]), changes: [change],
                isPresent: true)
        ])
        let later = StorageWorld.start.adding(seconds: 1000)
        while database.unfoldedCount > 0 {
            _ = try database.dropTombstones(
                above: 0, count: 9, before: later, limit: 9, sparing: { _ in false })
            _ = try database.fold(limit: 1)
        }
        #expect(try database.load(jars[0]).state.contents == state.contents)
        try database.close()
    }
}
