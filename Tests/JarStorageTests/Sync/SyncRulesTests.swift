// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@Suite("Sync rules in a draft")
struct SyncRulesTests {
    private static let names = ["a", "b", "c"]
    private static let now = StorageWorld.start
    private let identity = StorageWorld.identity("sid", domain: "www.example.com")

    private func tenant(_ rules: [SyncRule]) -> TenantState {
        var draft = TenantDraft(.empty)
        for rule in rules { draft.set(rule) }
        return draft.state
    }

    private func write(
        _ state: JarState, _ tenant: TenantState, _ operation: (inout JarDraft) -> Void
    ) -> JarDraft {
        var draft = JarDraft(state, tenant: tenant)
        operation(&draft)
        draft.applySyncRules(StorageWorld.rules, now: Self.now)
        return draft
    }

    private func value(_ state: JarState, _ store: String) -> [UInt8]? {
        state[StorageWorld.store(store)].liveCookie(identity, at: Self.now)?.value.bytes
    }

    /// Sets of rules by which each store is reached from each.
    private static let circles: [[SyncRule]] = [
        [
            StorageWorld.rule("1", from: "a", to: "b"), StorageWorld.rule("2", from: "b", to: "c"),
            StorageWorld.rule("3", from: "c", to: "a"),
        ],
        [StorageWorld.rule("1", from: "*", to: "c", mode: .twoWay)],
        [
            StorageWorld.rule("1", from: "a", to: "b", mode: .twoWay),
            StorageWorld.rule("2", from: "b", to: "c", mode: .twoWay),
        ],
        [
            StorageWorld.rule("1", from: "a", to: "b", mode: .mirror),
            StorageWorld.rule("2", from: "b", to: "c", mode: .mirror),
            StorageWorld.rule("3", from: "c", to: "a", mode: .mirror),
        ],
        [
            StorageWorld.rule("1", from: "a", to: "b", mode: .mirror),
            StorageWorld.rule("2", from: "b", to: "a"),
            StorageWorld.rule("3", from: "*", to: "c", mode: .twoWay),
        ],
    ]

    @Test(
        "in every order of writes to three stores, rules that form circles come to rest in step",
        arguments: 0..<5)
    func circles(index: Int) {
        let tenant = tenant(Self.circles[index])
        var start = JarDraft(.empty)
        for name in Self.names {
            _ = start.configure(StorageWorld.store(name), as: StoreSettings(), now: Self.now)
        }
        var count = 0
        func visit(_ state: JarState, _ serial: Int, left: Int) {
            for name in Self.names {
                for deletes in [false, true] {
                    let store = StorageWorld.store(name)
                    let value = deletes ? nil : Array("v\(serial)".utf8)
                    let draft = write(state, tenant) { draft in
                        if deletes {
                            _ = draft.delete(identity, in: store, now: Self.now)
                        } else {
                            _ = draft.put(
                                StorageWorld.cookie("sid", "v\(serial)"), in: store,
                                rules: StorageWorld.rules, now: Self.now)
                        }
                    }
                    count += 1
                    let found = Self.names.map { self.value(draft.state, $0) }
                    guard found.allSatisfy({ $0 == value }) else {
                        Issue.record("\(found) after \(deletes ? "delete" : "set") in \(name)")
                        return
                    }
                    // A second pass, over everything, finds nothing to do.
                    var again = JarDraft(draft.state, tenant: tenant)
                    for rule in tenant.syncRules {
                        again.apply(rule, StorageWorld.rules, now: Self.now)
                    }
                    #expect(again.changes.isEmpty)
                    #expect(draft.changes.count <= 2 * Self.names.count)
                    if left > 1 { visit(draft.state, serial + 1, left: left - 1) }
                }
            }
        }
        visit(start.state, 1, left: 4)
        print("sync rules: \(count) sequences of up to 4 of 6 writes to 3 stores, circle \(index)")
    }

    @Test("changes by a rule have the cause synced and follow the write's own")
    func causes() {
        let tenant = tenant([StorageWorld.rule("1", from: "a", to: "b")])
        let draft = write(.empty, tenant) { draft in
            _ = draft.put(
                StorageWorld.cookie("sid", "1"), in: StorageWorld.store("a"),
                rules: StorageWorld.rules, now: Self.now)
        }
        #expect(draft.changes.map(\.cause) == [.inserted, .synced])
        #expect(draft.changes.map(\.store.description) == ["a", "b"])
    }

    @Test("the cost follows what a write touches, not what the stores hold")
    func touchedOnly() {
        let tenant = tenant([StorageWorld.rule("1", from: "a", to: "b", mode: .mirror)])
        var state = write(.empty, tenant) { draft in
            for index in 0..<50 {
                _ = draft.put(
                    StorageWorld.cookie("n\(index)", "1"), in: StorageWorld.store("a"),
                    rules: StorageWorld.rules, now: Self.now)
            }
        }.state
        // Set past the rule, in its target: a write of another cookie leaves it alone.
        state =
            write(state, tenant) { draft in
                _ = draft.put(
                    StorageWorld.cookie("own", "1"), in: StorageWorld.store("b"),
                    rules: StorageWorld.rules, now: Self.now)
            }.state
        let draft = write(state, tenant) { draft in
            _ = draft.put(
                StorageWorld.cookie("n7", "2"), in: StorageWorld.store("a"),
                rules: StorageWorld.rules, now: Self.now)
        }
        #expect(draft.changes.count == 2)
        #expect(value(draft.state, "b") == nil)
    }

    @Test("a deletion that passes through a store leaves a silent tombstone there, once")
    func passing() {
        let stores = Self.names.map(StorageWorld.store)
        var state = write(.empty, .empty) { draft in
            _ = draft.put(
                StorageWorld.cookie("sid", "1"), in: stores[0], rules: StorageWorld.rules,
                now: Self.now)
            _ = draft.sync(
                SyncRequest(from: stores[0], to: stores[2]), rules: StorageWorld.rules,
                now: Self.now)
            _ = draft.configure(stores[1], as: StoreSettings(), now: Self.now)
        }.state
        state = write(state, .empty) { _ = $0.delete(identity, in: stores[0], now: Self.now) }.state
        for mode in [SyncMode.merge, .mirror, .twoWay] {
            var draft = JarDraft(state)
            let passed = draft.sync(
                SyncRequest(from: stores[0], to: stores[1], mode: mode),
                rules: StorageWorld.rules, now: Self.now)
            #expect(passed.results.isEmpty)
            #expect(draft.changes.map(\.isSilent) == [true])
            let arrived = draft.sync(
                SyncRequest(from: stores[1], to: stores[2]), rules: StorageWorld.rules,
                now: Self.now)
            #expect(arrived.deleted == 1)
            #expect(value(draft.state, "c") == nil)
            var again = JarDraft(draft.state)
            _ = again.sync(
                SyncRequest(from: stores[0], to: stores[1], mode: mode),
                rules: StorageWorld.rules, now: Self.now)
            #expect(again.changes.isEmpty)
        }
    }
}
