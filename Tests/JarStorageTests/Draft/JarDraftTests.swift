// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@Suite("A draft of a jar")
struct JarDraftTests {
    private let native = StorageWorld.store("native")
    private let webview = StorageWorld.store("webview")
    private let now = StorageWorld.start
    private let rules = StorageWorld.rules
    private let sid = StorageWorld.identity("sid")

    private func put(
        _ value: String, in store: StoreID, _ draft: inout JarDraft, expires: Timestamp? = nil
    ) -> Verdict {
        draft.put(
            StorageWorld.cookie("sid", value, expires: expires), in: store, rules: rules, now: now)
    }

    @Test("gives each change the next revision, and nothing a revision that changes nothing")
    func revisions() {
        var draft = JarDraft(.empty)
        #expect(put("1", in: native, &draft).outcome == .stored)
        #expect(put("1", in: native, &draft).outcome == .unchanged)
        #expect(put("2", in: native, &draft).outcome == .replaced)
        #expect(draft.delete(sid, in: native, now: now) == true)
        #expect(draft.delete(sid, in: native, now: now) == false)
        #expect(draft.changes.map(\.revision.rawValue) == [1, 2, 3])
        #expect(draft.changes.map(\.kind) == [.added, .changed, .removed])
        #expect(draft.changes.map(\.cause) == [.inserted, .replaced, .deleted])
    }

    @Test("a replaced cookie keeps its creation and gets the new revision as its version")
    func versions() throws {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        _ = put("2", in: native, &draft)
        let cookie = try #require(draft.state[native].cookies[sid])
        #expect(cookie.version == 2)
        #expect(cookie.creationOrder == 1)
    }

    @Test("a Set-Cookie that expired deletes, and deletes nothing when nothing is there")
    func expiredSetCookie() throws {
        let url = try CookieURL(
            parsing: Array("https://www.example.com/".utf8), names: rules.names)
        let context = ResponseContext(url: url)
        let line = try SetCookie(parsing: Array("sid=; Path=/; Max-Age=0".utf8))
        var draft = JarDraft(.empty)
        #expect(
            draft.receive(line, in: native, from: context, rules: rules, now: now).outcome
                == .unchanged)
        #expect(draft.changes.isEmpty)
        _ = put("1", in: native, &draft)
        #expect(
            draft.receive(line, in: native, from: context, rules: rules, now: now).outcome
                == .deleted)
        #expect(draft.state[native].tombstones[sid]?.travels == true)
    }

    @Test("forgets everything when it is discarded")
    func discard() {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        draft.discard()
        #expect(draft.changes.isEmpty)
        #expect(draft.state.revision == .zero)
        #expect(!draft.state.isPresent)
    }

    @Test(
        "an expired cookie counts as not there: storing adds, deleting finds nothing and clears it")
    func expiredCookies() throws {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft, expires: now.adding(seconds: 10))
        let later = now.adding(seconds: 10)
        var deleting = draft
        #expect(deleting.delete(sid, in: native, now: later) == false)
        #expect(deleting.changes.last?.cause == .expired)
        #expect(deleting.state[native].cookies.isEmpty)
        let verdict = draft.put(
            StorageWorld.cookie("sid", "2"), in: native, rules: rules, now: later)
        #expect(verdict.outcome == .stored)
        #expect(draft.changes.last?.kind == .added)
    }

    @Test("the end of a session removes what has no expiry, in its store, and stays there")
    func endOfSession() {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        _ = put("1", in: webview, &draft)
        let keep = StorageWorld.cookie("keep", "1", expires: now.adding(seconds: 60))
        _ = draft.put(keep, in: native, rules: rules, now: now)
        #expect(draft.endSession(of: native, now: now) == 1)
        #expect(draft.endSession(of: native, now: now) == 0)
        #expect(draft.changes.last?.kind == .removed)
        #expect(draft.state[native].cookies[sid] == nil)
        #expect(draft.state[native].tombstones[sid]?.travels == false)
        #expect(draft.state[native].cookies.count == 1)
        #expect(draft.state[webview].cookies[sid] != nil)
    }

    @Test("sweeps expired cookies, at most as many as it is told")
    func sweep() {
        var draft = JarDraft(.empty)
        for index in 0..<5 {
            _ = draft.put(
                StorageWorld.cookie("c\(index)", "1", expires: now.adding(seconds: 1)),
                in: native, rules: rules, now: now)
        }
        #expect(draft.removeExpired(in: native, limit: 3, now: now) == 0)
        let later = now.adding(seconds: 2)
        #expect(draft.removeExpired(in: native, limit: 3, now: later) == 3)
        #expect(draft.removeExpired(in: native, limit: 3, now: later) == 2)
        #expect(draft.changes.suffix(5).allSatisfy { $0.cause == .expired })
        #expect(draft.state[native].tombstones.values.allSatisfy { !$0.travels })
    }

    @Test("the deletion of what a store never had is silent, and written down only when it can win")
    func silentTombstones() {
        var draft = JarDraft(.empty)
        #expect(draft.delete(sid, in: webview, now: now) == false)
        #expect(draft.changes.isEmpty)
        _ = put("1", in: native, &draft)
        #expect(draft.delete(sid, in: webview, now: now) == false)
        #expect(draft.changes.last?.isSilent == true)
        #expect(draft.changes.last?.kind == nil)
        #expect(!draft.state[webview].isPresent)
        let revision = draft.state.revision
        #expect(draft.delete(sid, in: webview, now: now) == false)
        #expect(draft.state.revision == revision)
        let report = draft.sync(
            SyncRequest(from: webview, to: native), rules: rules, now: now)
        #expect(report.deleted == 1)
        #expect(draft.state[native].cookies.isEmpty)
    }

    @Test("evictions are changes of their own")
    func evictions() {
        var limits = CookieLimits()
        limits.perDomain = 5
        limits.perDomainAfterEviction = 3
        let rules = CookieRules(
            suffixes: self.rules.suffixes, names: self.rules.names, limits: limits)
        var draft = JarDraft(.empty)
        var verdict: Verdict?
        for index in 0..<6 {
            verdict = draft.put(
                StorageWorld.cookie("c\(index)", "1"), in: native, rules: rules, now: now)
        }
        #expect(verdict?.evicted.count == 3)
        #expect(draft.changes.suffix(3).allSatisfy { $0.cause == .evicted && $0.kind == .removed })
        #expect(draft.state[native].cookies.count == 3)
        #expect(draft.state.revision.rawValue == 9)
    }

    @Test("deleting a store and a jar deletes every cookie, keeps the revision and the tombstones")
    func deletions() {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        _ = put("1", in: webview, &draft)
        #expect(draft.deleteStore(StorageWorld.store("none"), now: now) == nil)
        #expect(draft.deleteStore(webview, now: now) == 1)
        #expect(draft.deleteStore(webview, now: now) == nil)
        #expect(draft.state.isPresent)
        #expect(draft.deleteJar(now: now) == 1)
        #expect(!draft.state.isPresent)
        #expect(draft.state.revision.rawValue == 6)
        #expect(draft.state[native].tombstones[sid]?.travels == true)
        #expect(draft.state.createdAt == now)
    }

    @Test("settings are kept, make a store present, and go with it")
    func settings() {
        var draft = JarDraft(.empty)
        let settings = StoreSettings(acceptPolicy: .never, sessionLifetimeSeconds: 60)
        #expect(draft.configure(native, as: settings, now: now) == true)
        #expect(draft.configure(native, as: settings, now: now) == false)
        #expect(draft.state[native].isPresent)
        #expect(draft.deleteStore(native, now: now) == 0)
        #expect(draft.state[native].settings == StoreSettings())
    }

    @Test("the state is the fold of the changes")
    func fold() {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        _ = put("2", in: webview, &draft)
        _ = draft.sync(SyncRequest(from: webview, to: native), rules: rules, now: now)
        _ = draft.delete(sid, in: webview, now: now)
        _ = draft.configure(webview, as: StoreSettings(matching: .hostSuffix), now: now)
        var folded = JarState.empty
        for change in draft.changes { folded.apply(change) }
        #expect(folded.contents == draft.state.contents)
        #expect(folded.footprint == draft.state.footprint)
    }

    @Test("a snapshot finds a store by its raw name")
    func snapshot() {
        var draft = JarDraft(.empty)
        _ = put("1", in: native, &draft)
        let snapshot = JarSnapshot(draft.state)
        let found = Array("native".utf8).withUnsafeBufferPointer { snapshot.store(named: $0) }
        #expect(found?.state.cookies.count == 1)
        let missing = Array("nativ\u{0}".utf8).withUnsafeBufferPointer {
            snapshot.store(named: $0)
        }
        #expect(missing == nil)
    }
}
