// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("What goes in the course of time")
struct SweepTests {
    private let alice = StorageWorld.address("alice")

    @Test("expired cookies go, with an event; old changes go, and the floor says so")
    func sweeping() async throws {
        let fixture = try PostgresFixture()
        let node = try fixture.node { configuration in
            configuration.sweepIntervalMilliseconds = 20
            configuration.changeLimit = 3
        }
        defer { node.close() }
        let now = Timestamp.wallClock
        let soon = Timestamp(milliseconds: now.milliseconds + 300)
        _ = try await node.change(alice) { draft in
            for (name, expires) in [("brief", soon), ("lasting", nil)] {
                _ = draft.put(
                    StorageWorld.cookie(name, "1", expires: expires),
                    in: StorageWorld.store("native"), rules: StorageWorld.rules, now: now)
            }
        }
        var state = try await node.load(alice).state
        while state[StorageWorld.store("native")].cookies[StorageWorld.identity("brief")] != nil {
            try await Task.sleep(for: .milliseconds(20))
            state = try await node.load(alice).state
        }
        #expect(state.revision.rawValue == 3)
        #expect(
            state[StorageWorld.store("native")].cookies[StorageWorld.identity("lasting")] != nil)
        for index in 0..<10 { _ = try await node.change(alice) { $0.put("lasting", "\(index)") } }
        var page = try await node.feed(of: alice, since: 0)
        while page.floor.rawValue < 10 {
            try await Task.sleep(for: .milliseconds(20))
            page = try await node.feed(of: alice, since: 0)
        }
        #expect(page.changes.isEmpty)
        let rest = try await node.feed(of: alice, since: page.floor.rawValue)
        #expect(rest.changes.map(\.revision.rawValue) == [11, 12, 13])
        // What is in memory and what the log no longer reaches are the same.
        let fresh = try fixture.node()
        defer { fresh.close() }
        #expect(
            try await fresh.load(alice).state.contents
                == (try await node.load(alice).state.contents))
    }

    @Test("a rule that another node began to apply and left is told of", .timeLimit(.minutes(1)))
    func unfinishedRules() async throws {
        let fixture = try PostgresFixture()
        let (left, node) = (
            try fixture.node(), try fixture.node { $0.sweepIntervalMilliseconds = 20 }
        )
        defer { node.close() }
        let told = AsyncStream<TenantID>.makeStream()
        node.observeUnfinishedRules { told.continuation.yield($0) }
        var rule = StorageWorld.rule("web", from: "native", to: "webview")
        rule.backfill = SyncBackfill(startedAt: .wallClock)
        _ = try await left.changeRecords(of: alice.tenant) { [rule] in $0.set(rule) }
        left.close()
        for await tenant in told.stream {
            #expect(tenant == alice.tenant)
            break
        }
    }
}
