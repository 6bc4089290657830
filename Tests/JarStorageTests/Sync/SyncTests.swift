// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@Suite("Sync")
struct SyncTests {
    private let first = StorageWorld.store("a")
    private let second = StorageWorld.store("b")
    private let third = StorageWorld.store("c")
    private let now = StorageWorld.start
    private let rules = StorageWorld.rules
    private let sid = StorageWorld.identity("sid")

    private func put(
        _ value: String, in store: StoreID, _ draft: inout JarDraft, name: String = "sid",
        domain: String = "www.example.com", expires: Timestamp? = nil
    ) {
        _ = draft.put(
            StorageWorld.cookie(name, value, domain: domain, expires: expires), in: store,
            rules: rules, now: now)
    }

    private func sync(
        _ draft: inout JarDraft, _ from: StoreID, _ to: StoreID, _ mode: SyncMode = .merge,
        _ filter: SyncFilter = SyncFilter(), rules: CookieRules? = nil
    ) -> SyncReport {
        draft.sync(
            SyncRequest(from: from, to: to, mode: mode, filter: filter),
            rules: rules ?? self.rules, now: now)
    }

    private func value(_ store: StoreID, _ draft: JarDraft) -> String? {
        draft.state[store].cookies[sid].map { String(decoding: $0.value.bytes, as: UTF8.self) }
    }

    @Test("a login between a deletion and its arrival elsewhere wins")
    func deletionKeepsItsTime() {
        var draft = JarDraft(.empty)
        put("old", in: first, &draft)
        _ = sync(&draft, first, second)
        _ = draft.delete(sid, in: first, now: now)
        put("new", in: third, &draft)
        #expect(sync(&draft, first, second).deleted == 1)
        #expect(sync(&draft, second, third).deleted == 0)
        #expect(value(third, draft) == "new")
        #expect(sync(&draft, third, second).added == 1)
        #expect(value(second, draft) == "new")
    }

    @Test("everything about a cookie travels, its version and creation too")
    func attributes() throws {
        var draft = JarDraft(.empty)
        put("1", in: first, &draft)
        put("2", in: first, &draft)
        let report = sync(&draft, first, second)
        #expect(report.results.map(\.action) == [.added])
        let original = try #require(draft.state[first].cookies[sid])
        #expect(draft.state[second].cookies[sid] == original)
        #expect(draft.changes.last?.cause == .synced)
    }

    @Test("of two copies with one version the persistent one wins, in both directions")
    func ties() throws {
        var base = JarState.empty
        var draft = JarDraft(.empty)
        put("1", in: first, &draft)
        var promoted = try #require(draft.state[first].cookies[sid])
        promoted.expires = now.adding(seconds: 1000)
        promoted.wasSession = true
        for (offset, entry) in [(first, promoted), (second, promoted)].enumerated() {
            var cookie = entry.1
            if offset == 1 {
                cookie.expires = nil
                cookie.wasSession = false
            }
            base.apply(
                Change(
                    revision: base.revision.next, at: now, store: entry.0, cause: .inserted,
                    content: .added(cookie)))
        }
        var forth = JarDraft(base)
        #expect(sync(&forth, first, second).updated == 1)
        #expect(forth.state[second].cookies[sid]?.expires != nil)
        var back = JarDraft(base)
        #expect(sync(&back, second, first).unchanged == 1)
        #expect(back.changes.isEmpty)
    }

    @Test("expired, swept and evicted cookies are not deleted elsewhere")
    func lapsesStay() {
        var draft = JarDraft(.empty)
        put("long", in: second, &draft)
        put("short", in: first, &draft, expires: now.adding(seconds: 1))
        let later = now.adding(seconds: 2)
        var swept = draft
        _ = swept.removeExpired(in: first, limit: 9, now: later)
        for var variant in [draft, swept] {
            for mode in [SyncMode.merge, .twoWay] {
                let report = variant.sync(
                    SyncRequest(from: first, to: second, mode: mode), rules: rules, now: later)
                #expect(report.deleted == 0)
                #expect(value(second, variant) == "long")
            }
            #expect(value(first, variant) == "long")
        }
    }

    @Test("mirror makes the end exactly as the source, inside the filter only")
    func mirror() {
        var draft = JarDraft(.empty)
        put("1", in: first, &draft)
        put("2", in: second, &draft)
        put("x", in: second, &draft, name: "extra")
        put("y", in: second, &draft, name: "kept")
        let filter = SyncFilter(names: ["sid", "extra"].map { Array($0.utf8) })
        let report = sync(&draft, first, second, .mirror, filter)
        #expect(report.updated == 1)
        #expect(report.deleted == 1)
        #expect(value(second, draft) == "1")
        #expect(draft.state[second].cookies.count == 2)
        #expect(sync(&draft, first, second, .mirror, filter).unchanged == 1)
    }

    @Test(
        "nothing happens from a store that nobody has written to, nor to itself",
        arguments: SyncMode.allCases)
    func absentSource(mode: SyncMode) {
        var draft = JarDraft(.empty)
        put("1", in: second, &draft)
        let before = draft.state.contents
        #expect(sync(&draft, first, second, mode).results.isEmpty)
        #expect(sync(&draft, second, second, mode).results.isEmpty)
        #expect(draft.state.contents == before)
    }

    @Test("a mirror of a deleted store does not wipe")
    func mirrorOfDeleted() {
        var draft = JarDraft(.empty)
        put("1", in: first, &draft)
        put("2", in: second, &draft)
        _ = draft.deleteStore(first, now: now)
        #expect(sync(&draft, first, second, .mirror).results.isEmpty)
        #expect(value(second, draft) == "2")
    }

    @Test(
        "filters by URL, domain and name, all of which must hold",
        arguments: [
            ([], [], nil, 4), (["sid"], [], nil, 3), (["sid"], ["example.com"], nil, 1),
            ([], ["www.example.com", "other.example"], nil, 3),
            ([], [], "https://www.example.com/x", 3), (["b"], [], "https://www.example.com/", 1),
            (["b"], [], "https://other.example/", 0),
        ] as [([String], [String], String?, Int)])
    func filters(names: [String], domains: [String], url: String?, count: Int) throws {
        var draft = JarDraft(.empty)
        put("1", in: first, &draft)
        put("1", in: first, &draft, domain: ".example.com")
        put("1", in: first, &draft, domain: "other.example")
        put("1", in: first, &draft, name: "b")
        var filter = SyncFilter(
            domains: domains.map { Array($0.utf8) }, names: names.map { Array($0.utf8) })
        filter.url = try url.map { try CookieURL(parsing: Array($0.utf8), names: rules.names) }
        #expect(sync(&draft, first, second, .merge, filter).added == count)
    }

    @Test(
        "evictions end a sync that brings too much, alike at both ends; a repeat is a no-op",
        arguments: [SyncMode.merge, .twoWay])
    func limits(mode: SyncMode) {
        var limits = CookieLimits()
        limits.perDomain = 10
        limits.perDomainAfterEviction = 6
        let rules = CookieRules(
            suffixes: self.rules.suffixes, names: self.rules.names, limits: limits)
        var draft = JarDraft(.empty)
        for index in 0..<8 {
            put("1", in: first, &draft, name: "a\(index)")
            put("1", in: second, &draft, name: "b\(index)")
        }
        let report = sync(&draft, first, second, mode, rules: rules)
        #expect(report.count(of: .evicted) == (mode == .twoWay ? 20 : 10))
        #expect(draft.state[second].cookies.count == 6)
        if mode == .twoWay {
            #expect(
                draft.state[first].liveCookies(at: now) == draft.state[second].liveCookies(at: now))
        }
        let revision = draft.state.revision
        _ = sync(&draft, first, second, mode, rules: rules)
        #expect(draft.state.revision == revision)
    }
}
