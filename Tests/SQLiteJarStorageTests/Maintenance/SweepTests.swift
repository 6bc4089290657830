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
        #expect(try rows("SELECT count(*) FROM jar_change") == 10)
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
