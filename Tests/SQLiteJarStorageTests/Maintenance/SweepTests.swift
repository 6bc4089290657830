// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The sweep")
struct SweepTests {
    private let directory: TemporaryDirectory
    private static let store = StorageWorld.store("native")

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ change: (inout SQLiteJarStorageConfiguration) -> Void) throws
        -> SQLiteJarStorage
    {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.idleFoldMilliseconds = 1
        configuration.sweepIntervalMilliseconds = 10
        change(&configuration)
        return try SQLiteJarStorage(configuration: configuration, logger: .silent)
    }

    private func rows(_ sql: String) throws -> Int64 {
        let connection = try Connection(path: directory.file("tenants/acme/jar.sqlite"))
        defer { try? connection.close() }
        return try connection.integer(sql)
    }

    @Test("removes what has expired, in a change of its own, and nothing else")
    func expiry() async throws {
        let storage = try open { _ in }
        let now = Timestamp.wallClock
        let address = Torture.addresses[0]
        _ = try await storage.change(address) { draft in
            for (name, seconds) in [("gone", Int64(-50)), ("here", 500)] {
                _ = draft.put(
                    StorageWorld.cookie(name, "1", expires: now.adding(seconds: seconds)),
                    in: Self.store, rules: StorageWorld.rules, now: now.adding(seconds: -100))
            }
            _ = draft.put(
                StorageWorld.cookie("session", "1"), in: Self.store, rules: StorageWorld.rules,
                now: now)
        }
        let gone = StorageWorld.identity("gone")
        var state = try await storage.load(address).state
        while state[Self.store].cookies[gone] != nil {
            await Task.yield()
            state = try await storage.load(address).state
        }
        #expect(state.revision.rawValue == 4)
        #expect(state[Self.store].contents.cookies.count == 2)
        #expect(state[Self.store].tombstones[gone]?.cause == .expired)
        #expect(state[Self.store].tombstones[gone]?.travels == false)
        storage.close()
    }

    private struct Refused: Error {}

    @Test(
        "an answer outlives a restart with the write that it belongs to, and goes when it has expired"
    )
    func answers() async throws {
        let address = Torture.addresses[0]
        let now = Timestamp.wallClock
        func key(_ name: String, until seconds: Int64) -> WriteKey {
            WriteKey(
                key: Array(name.utf8), fingerprint: [1], at: now,
                expires: now.adding(seconds: seconds))
        }
        func run(_ storage: SQLiteJarStorage, _ key: WriteKey) async throws -> [UInt8]? {
            let answer: OnceAnswer<Refused> = try await storage.change(address, once: key) {
                .success(Array("\(Torture.increment(&$0))".utf8))
            }
            guard case .answered(let body) = answer else { return nil }
            return body
        }
        var storage = try open { $0.sweepIntervalMilliseconds = 60_000 }
        #expect(try await run(storage, key("stays", until: 600)) == Array("1".utf8))
        #expect(try await run(storage, key("goes", until: -1)) == Array("2".utf8))
        storage.close()
        #expect(try rows("SELECT count(*) FROM answer") == 2)
        storage = try open { _ in }
        #expect(try await run(storage, key("stays", until: 600)) == Array("1".utf8))
        let start = MonotonicTime.now
        while MonotonicTime.now < start.adding(milliseconds: 300) { await Task.yield() }
        storage.close()
        #expect(try rows("SELECT count(*) FROM answer") == 1)
        #expect(try rows("SELECT count(*) FROM answer WHERE key = CAST('stays' AS BLOB)") == 1)
    }

    @Test("drops all but the newest changes, and the floor says up to where")
    func compaction() async throws {
        let storage = try open { $0.changeLimit = 10 }
        let address = Torture.addresses[0]
        for _ in 0..<40 { _ = try await storage.change(address, Torture.increment) }
        let before = try await storage.load(address).state
        let start = MonotonicTime.now
        while MonotonicTime.now < start.adding(milliseconds: 300) { await Task.yield() }
        storage.close()
        #expect(try rows("SELECT count(*) FROM change") == 10)
        // What finds the changes goes with them, but for runs that have some that stay.
        #expect(1...10 ~= (try rows("SELECT count(*) FROM jar_change")))
        #expect(
            try rows(
                "SELECT count(*) FROM jar_change WHERE sequence NOT IN (SELECT sequence FROM change)"
            ) == 0)
        #expect(try rows("SELECT floor + 10 FROM jar") == Int64(before.revision.rawValue))
        let again = try open { $0.changeLimit = 10 }
        #expect(try await again.load(address).state.contents == before.contents)
        let floor = before.revision.rawValue - 10
        #expect(try await again.feed(of: address, since: floor).changes.count == 10)
        let lost = try await again.feed(of: address, since: floor - 1)
        #expect(lost.changes.isEmpty)
        #expect(lost.floor.rawValue == floor)
        #expect(try await again.change(address, Torture.increment).answer == 41)
        again.close()
    }

    private func tombstones(in storage: SQLiteJarStorage) async throws -> Int {
        let state = try await storage.load(Torture.addresses[0]).state
        return state.stores.reduce(0) { $0 + $1.value.tombstones.count }
    }

    /// Has everything be old enough to be dropped, whatever the clock of a test says.
    private static func forgetful(_ configuration: inout SQLiteJarStorageConfiguration) {
        configuration.changeRetentionSeconds = -(1 << 40)
        configuration.sweepIntervalMilliseconds = 1
        (configuration.foldThreshold, configuration.idleFoldMilliseconds) = (1, 0)
    }

    @Test(
        "drops a tombstone when no store has an older copy, and not before", .timeLimit(.minutes(1))
    )
    func tombstones() async throws {
        let storage = try open(Self.forgetful)
        let address = Torture.addresses[0]
        let webview = StorageWorld.store("webview")
        let start = StorageWorld.start
        _ = try await storage.change(address) { draft in
            for (name, domain) in [
                ("a", "www.example.com"), ("b", "www.example.com"), ("c", "www.example.com"),
                ("c", "203.0.113.7"),
            ] {
                _ = draft.put(
                    StorageWorld.cookie(name, "1", domain: domain), in: Self.store,
                    rules: StorageWorld.rules, now: start)
            }
            let request = SyncRequest(
                from: Self.store, to: webview, filter: SyncFilter(names: [Array("a".utf8)]))
            _ = draft.sync(request, rules: StorageWorld.rules, now: start)
        }
        for name in ["a", "b", "c"] {
            _ = try await storage.change(address) { draft in
                draft.delete(StorageWorld.identity(name), in: Self.store, now: start)
            }
        }
        // Of `a` the other store has a copy, and of `c` there is one that a rewrite would bring.
        while try await tombstones(in: storage) != 2 { await Task.yield() }
        let merged = try await storage.change(address) { draft in
            draft.sync(
                SyncRequest(from: webview, to: Self.store), rules: StorageWorld.rules, now: start)
        }
        #expect(merged.snapshot.state[Self.store].cookies[StorageWorld.identity("a")] == nil)
        #expect(merged.snapshot.state[Self.store].tombstones.count == 2)
        let host = try #require(StorageWorld.host("www.example.com"))
        let from = try #require(StorageWorld.host("203.0.113.7"))
        let rewritten = try await storage.change(address) { draft in
            draft.rewriteDomain(
                DomainRewrite(store: Self.store, from: from, to: host), rules: StorageWorld.rules,
                now: start)
        }
        #expect(rewritten.answer.results.map(\.action) == [.superseded])
        _ = try await storage.change(address) { draft in
            draft.delete(StorageWorld.identity("a"), in: webview, now: start)
        }
        while try await tombstones(in: storage) != 0 { await Task.yield() }
        let revision = try await storage.load(address).state.revision
        storage.close()
        #expect(try rows("SELECT count(*) FROM cookie") == 0)
        let again = try open(Self.forgetful)
        #expect(try await again.load(address).state.revision == revision)
        again.close()
    }

    @Test("keeps a spent tombstone for as long as the feed tells of it")
    func recentTombstones() async throws {
        let storage = try open { $0.changeRetentionSeconds = 1 << 40 }
        let address = Torture.addresses[0]
        _ = try await storage.change(address) { draft in
            _ = draft.put(
                StorageWorld.cookie("a", "1"), in: Self.store, rules: StorageWorld.rules,
                now: StorageWorld.start)
            _ = draft.delete(
                StorageWorld.identity("a"), in: Self.store, now: StorageWorld.start)
        }
        let start = MonotonicTime.now
        while MonotonicTime.now < start.adding(milliseconds: 100) { await Task.yield() }
        storage.close()
        let again = try open { $0.changeRetentionSeconds = 1 << 40 }
        #expect(try await again.load(address).state[Self.store].tombstones.count == 1)
        again.close()
    }

    @Test("a jar goes on as if no tombstone were ever dropped", arguments: 0..<6)
    func forgetting(seed: UInt64) async throws {
        let storage = try open(Self.forgetful)
        let twin = MemoryJarStorage()
        let address = Torture.addresses[0]
        let stores = ["native", "webview", "worker"].map(StorageWorld.store)
        var generator = SeededGenerator(seed: seed)
        for step in 0..<150 as Range<Int64> {
            let now = StorageWorld.start.adding(seconds: step)
            let (kind, name) = (
                Int.random(in: 0..<8, using: &generator),
                ["a", "b"].randomElement(using: &generator) ?? "a"
            )
            let ends = stores.shuffled(using: &generator)
            let operation: @Sendable (inout JarDraft) -> Void = { draft in
                switch kind {
                case 0..<3:
                    _ = draft.put(
                        StorageWorld.cookie(name, "\(step)"), in: ends[0],
                        rules: StorageWorld.rules, now: now)
                case 3..<5: _ = draft.delete(StorageWorld.identity(name), in: ends[0], now: now)
                default:
                    _ = draft.sync(
                        SyncRequest(from: ends[0], to: ends[1], mode: kind == 5 ? .merge : .twoWay),
                        rules: StorageWorld.rules, now: now)
                }
            }
            let one = try await storage.change(address, operation).snapshot.state
            let other = try await twin.change(address, operation).snapshot.state
            for store in stores {
                try #require(one[store].contents.cookies == other[store].contents.cookies)
            }
            try #require(one.revision == other.revision)
        }
        storage.close()
        twin.close()
    }

    /// Waits until it is on disk, as a copy of the open files has it.
    private func waitForAccess(at time: Timestamp) async throws {
        var last: Int64?
        while last != time.milliseconds {
            await Task.yield()
            let copy = try TemporaryDirectory()
            for name in ["jar.sqlite", "jar.sqlite-wal"] {
                try FileSystem.copy(directory.file("tenants/acme/\(name)"), to: copy.file(name))
            }
            let connection = try Connection(path: copy.file("jar.sqlite"))
            // A copy from the middle of a commit may be of no use; the next one is.
            last = try? connection.integer("SELECT max(last_access) FROM cookie")
            try connection.close()
        }
    }

    @Test(
        "a use that only was read for outlives a restart", .timeLimit(.minutes(1)),
        arguments: [true, false])
    func accesses(isSwept: Bool) async throws {
        let address = Torture.addresses[0]
        var storage = try open { $0.sweepIntervalMilliseconds = 60_000 }
        _ = try await storage.change(address) { draft in
            draft.put(
                StorageWorld.cookie("a", "1"), in: Self.store, rules: StorageWorld.rules,
                now: StorageWorld.start)
        }
        storage.close()
        storage = try open { configuration in
            configuration.sweepIntervalMilliseconds = isSwept ? 1 : 60_000
            configuration.accessIntervalMilliseconds = 1
        }
        let later = StorageWorld.start.adding(seconds: 3600)
        let url = try CookieURL(
            parsing: Array("https://www.example.com/".utf8), names: StorageWorld.rules.names)
        var header: [UInt8] = []
        _ = try await storage.load(address).state[Self.store].cookies.appendCookieHeader(
            for: RequestContext(url: url), rules: StorageWorld.rules, now: later, to: &header)
        if isSwept { try await waitForAccess(at: later) }
        storage.close()
        let again = try open { $0.sweepIntervalMilliseconds = 60_000 }
        let found = try await again.load(address).state
        #expect(found[Self.store].cookies[StorageWorld.identity("a")]?.lastAccess == later)
        #expect(found.revision.rawValue == 1)
        again.close()
    }

    @Test("keeps what is not old, unless there is too much of it")
    func retention() async throws {
        let storage = try open { $0.changeRetentionSeconds = 1 << 40 }
        for _ in 0..<10 {
            _ = try await storage.change(Torture.addresses[0], Torture.increment)
        }
        let start = MonotonicTime.now
        while MonotonicTime.now < start.adding(milliseconds: 100) { await Task.yield() }
        storage.close()
        #expect(try rows("SELECT count(*) FROM change") > 10)
        #expect(try rows("SELECT floor FROM jar") == 0)
    }
}

@Suite("The clock of the sweep")
struct SweepClockTests {
    private let day: Int64 = 86_400_000
    private let hour: Int64 = 3_600_000

    private func expect(
        _ clock: inout SweepClock, _ wall: Int64, _ monotonic: Int64, _ isBelieved: Bool
    ) {
        let answer = clock.believes(wall: wall, monotonic: monotonic)
        #expect(answer == isBelieved, "\(wall) \(monotonic)")
    }

    @Test("is believed as long as it does not jump by more than a day")
    func steady() {
        var clock = SweepClock()
        for step in 0..<100 as Range<Int64> {
            // Drifts by an hour each day.
            expect(&clock, step * (day + hour), step * day, true)
        }
    }

    @Test(
        "is not believed after a jump, until it has stood for a day or is set back",
        arguments: [1, -1])
    func jump(sign: Int64) {
        var clock = SweepClock()
        let jump = sign * 3650 * day
        expect(&clock, 0, 0, true)
        expect(&clock, jump, 0, false)
        expect(&clock, jump + day - 1, day - 1, false)
        expect(&clock, day, day, true)
        expect(&clock, jump + day, day, false)
        expect(&clock, jump + 2 * day - 1, 2 * day - 1, false)
        expect(&clock, jump + 2 * day, 2 * day, true)
        expect(&clock, jump + 3 * day, 3 * day, true)
    }

    @Test("counts the day anew from each jump")
    func jumps() {
        var clock = SweepClock()
        expect(&clock, 0, 0, true)
        expect(&clock, 10 * day, 0, false)
        expect(&clock, 30 * day, day / 2, false)
        expect(&clock, 30 * day + day / 2, day, false)
        expect(&clock, 31 * day, day * 3 / 2, true)
    }
}
