// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport

/// What can be done to two stores between two looks at them.
enum SyncStepKind: CaseIterable {
    case setFirst, setSecond, replaceFirst, replaceSecond, deleteFirst, deleteSecond
    case expireFirst, expireSecond, syncForth, syncBack, syncTwoWay
}

/// Which of three cookies of one name the steps are done to; the other two must not notice.
enum SyncTwin: CaseIterable {
    case hostOnly, domain, partition

    func cookie(_ value: String, expires: Timestamp) -> FinishedCookie {
        switch self {
        case .hostOnly:
            StorageWorld.cookie("sid", value, domain: "example.com", expires: expires)
        case .domain:
            StorageWorld.cookie("sid", value, domain: ".example.com", expires: expires)
        case .partition:
            StorageWorld.cookie(
                "sid", value, domain: "example.com", partitionKey: "https://top.example.com",
                expires: expires)
        }
    }

    var identity: CookieIdentity {
        switch self {
        case .hostOnly: StorageWorld.identity("sid", domain: "example.com")
        case .domain: StorageWorld.identity("sid", domain: ".example.com")
        case .partition:
            StorageWorld.identity(
                "sid", domain: "example.com", partitionKey: "https://example.com")
        }
    }
}

/// Two stores, a clock, and what must hold of them.
struct SyncModel {
    static let first = StorageWorld.store("a")
    static let second = StorageWorld.store("b")
    private static let rules = StorageWorld.rules

    let twin: SyncTwin
    private(set) var draft = JarDraft(.empty)
    private(set) var now = StorageWorld.start
    private var serial = 0
    /// The jar's revision at the last deletion in each store.
    private(set) var deletions: [StoreID: UInt64] = [:]

    init(twin: SyncTwin) {
        self.twin = twin
        // The other twins are in both stores, in step, and the stores exist.
        for other in SyncTwin.allCases where other != twin {
            let cookie = other.cookie("twin", expires: now.adding(seconds: 1_000_000))
            _ = draft.put(cookie, in: Self.first, rules: Self.rules, now: now)
        }
        _ = draft.sync(
            SyncRequest(from: Self.first, to: Self.second), rules: Self.rules, now: now)
    }

    mutating func take(_ step: SyncStepKind) {
        switch step {
        case .setFirst: set(in: Self.first, lifetime: 100)
        case .setSecond: set(in: Self.second, lifetime: 100)
        case .replaceFirst: set(in: Self.first, lifetime: 1000)
        case .replaceSecond: set(in: Self.second, lifetime: 1000)
        case .deleteFirst: delete(in: Self.first)
        case .deleteSecond: delete(in: Self.second)
        case .expireFirst: expire(in: Self.first)
        case .expireSecond: expire(in: Self.second)
        case .syncForth: _ = sync(&draft, Self.first, Self.second, .merge)
        case .syncBack: _ = sync(&draft, Self.second, Self.first, .merge)
        case .syncTwoWay: _ = sync(&draft, Self.first, Self.second, .twoWay)
        }
    }

    /// The first thing that should hold and does not.
    func violation() -> String? {
        resurrection(in: draft.state, deletions)
            ?? twoWayViolation() ?? mergeViolation() ?? mirrorViolation()
    }

    private mutating func set(in store: StoreID, lifetime: Int64) {
        serial += 1
        _ = draft.put(
            twin.cookie("v\(serial)", expires: now.adding(seconds: lifetime)), in: store,
            rules: Self.rules, now: now)
    }

    private mutating func delete(in store: StoreID) {
        _ = draft.delete(twin.identity, in: store, now: now)
        deletions[store] = draft.state.revision.rawValue
    }

    /// Lets the short-lived copies of both stores expire, and sweeps one of the stores.
    private mutating func expire(in store: StoreID) {
        now = now.adding(seconds: 150)
        _ = draft.removeExpired(in: store, limit: 100, now: now)
    }

    private func sync(
        _ draft: inout JarDraft, _ from: StoreID, _ to: StoreID, _ mode: SyncMode
    ) -> SyncReport {
        draft.sync(
            SyncRequest(from: from, to: to, mode: mode), rules: Self.rules, now: now)
    }

    private func live(_ state: JarState, _ store: StoreID) -> [Cookie] {
        state[store].liveCookies(at: now)
    }

    private func resurrection(in state: JarState, _ deletions: [StoreID: UInt64]) -> String? {
        for (store, revision) in deletions {
            let copy = state[store].liveCookie(twin.identity, at: now)
            if let copy, copy.version <= revision { return "a deleted cookie came back" }
        }
        for store in [Self.first, Self.second] {
            let others = SyncTwin.allCases.filter { $0 != twin }
            let isWhole = others.allSatisfy {
                state[store].liveCookie($0.identity, at: now)?.value.bytes == Array("twin".utf8)
            }
            if !isWhole { return "a twin was touched" }
        }
        return nil
    }

    private func twoWayViolation() -> String? {
        var forth = JarDraft(draft.state)
        var back = JarDraft(draft.state)
        let report = sync(&forth, Self.first, Self.second, .twoWay)
        _ = sync(&back, Self.second, Self.first, .twoWay)
        let result = live(forth.state, Self.first)
        if result != live(forth.state, Self.second) { return "two-way did not converge" }
        if result != live(back.state, Self.first) || result != live(back.state, Self.second) {
            return "two-way depends on the order of its ends"
        }
        let newest = deletions.values.max() ?? 0
        if let broken = resurrection(
            in: forth.state, [Self.first: newest, Self.second: newest])
        {
            return broken
        }
        return repeated(forth, Self.first, Self.second, .twoWay) ?? dryRun(forth, report, .twoWay)
    }

    private func mergeViolation() -> String? {
        var merged = JarDraft(draft.state)
        _ = sync(&merged, Self.first, Self.second, .merge)
        if live(merged.state, Self.first) != live(draft.state, Self.first) {
            return "merge changed its source"
        }
        let newest = deletions.values.max() ?? 0
        return resurrection(in: merged.state, [Self.second: newest])
            ?? repeated(merged, Self.first, Self.second, .merge)
    }

    private func mirrorViolation() -> String? {
        var mirrored = JarDraft(draft.state)
        _ = sync(&mirrored, Self.first, Self.second, .mirror)
        if live(mirrored.state, Self.second) != live(draft.state, Self.first) {
            return "mirror differs from its source"
        }
        return repeated(mirrored, Self.first, Self.second, .mirror)
    }

    private func repeated(
        _ done: JarDraft, _ from: StoreID, _ to: StoreID, _ mode: SyncMode
    ) -> String? {
        var again = JarDraft(done.state)
        let report = sync(&again, from, to, mode)
        let isQuiet = again.changes.isEmpty && report.unchanged == report.results.count
        return isQuiet ? nil : "repeating \(mode.rawValue) was not a no-op"
    }

    /// A dry run is the same operation on a draft that is dropped: it must tell what the real run did.
    private func dryRun(_ real: JarDraft, _ report: SyncReport, _ mode: SyncMode) -> String? {
        var dry = JarDraft(draft.state)
        let told = sync(&dry, Self.first, Self.second, mode)
        dry.discard()
        let changed = report.added + report.updated + report.deleted
        return told == report && changed == real.changes.count
            && dry.state.revision == draft.state.revision ? nil : "the dry run told otherwise"
    }
}
