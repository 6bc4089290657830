// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@Suite("Filing cookies under another host")
struct RewriteTests {
    private let store = StorageWorld.store("native")
    private let other = StorageWorld.store("webview")
    private let now = StorageWorld.start
    private let rules = StorageWorld.rules

    private func put(
        _ name: String, _ value: String, domain: String, _ draft: inout JarDraft,
        secure: Bool = false
    ) {
        let verdict = draft.put(
            StorageWorld.cookie(name, value, domain: domain, secure: secure), in: store,
            rules: rules, now: now)
        #expect(verdict.outcome != .rejected)
    }

    private func rewrite(
        _ from: String, _ to: String, wide: Bool = false, _ draft: inout JarDraft
    ) throws -> RewriteReport {
        let request = DomainRewrite(
            store: store, from: try #require(StorageWorld.host(from)),
            to: try #require(StorageWorld.host(to)), domainWide: wide)
        return draft.rewriteDomain(request, rules: rules, now: now)
    }

    private func value(_ name: String, _ domain: String, _ draft: JarDraft) -> String? {
        draft.state[store].cookies[StorageWorld.identity(name, domain: domain)]
            .map { String(decoding: $0.value.bytes, as: UTF8.self) }
    }

    @Test(
        "any spelling of the address; host-only unless it is to be domain-wide; a repeat is a no-op",
        arguments: [
            ("203.0.113.7", "203.0.113.7"), ("203.0.113.7", "0xcb007107"),
            ("[2001:db8::1]", "2001:0db8:0:0:0:0:0:1"), ("[2001:db8::1]", "[2001:DB8::1]"),
        ], [false, true])
    func spellings(address: (stored: String, asked: String), wide: Bool) throws {
        var draft = JarDraft(.empty)
        put("sid", "1", domain: address.stored, &draft)
        let created = draft.state.contents.stores[store]?.cookies.first?.creationOrder
        let report = try rewrite(address.asked, "www.example.com", wide: wide, &draft)
        #expect(report.results.map(\.action) == [.rewritten])
        let domain = wide ? ".www.example.com" : "www.example.com"
        #expect(value("sid", domain, draft) == "1")
        let cookies = draft.state[store].liveCookies(at: now)
        #expect(cookies.map(\.creationOrder) == [created])
        #expect(cookies.map(\.version) == [1])
        #expect(draft.changes.suffix(2).allSatisfy { $0.cause == .rewritten })
        let revision = draft.state.revision
        let again = try rewrite(address.asked, "www.example.com", wide: wide, &draft)
        #expect(again.results.isEmpty)
        #expect(draft.state.revision == revision)
    }

    @Test("where the host has the cookie, the newer one stays", arguments: [true, false])
    func conflict(addressIsNewer: Bool) throws {
        var draft = JarDraft(.empty)
        let order =
            addressIsNewer ? ["www.example.com", "10.0.0.1"] : ["10.0.0.1", "www.example.com"]
        for domain in order { put("sid", domain, domain: domain, &draft) }
        let report = try rewrite("10.0.0.1", "www.example.com", &draft)
        #expect(report.rewritten == (addressIsNewer ? 1 : 0))
        #expect(report.superseded == (addressIsNewer ? 0 : 1))
        #expect(report.results.first?.replacedOlder == addressIsNewer)
        #expect(value("sid", "www.example.com", draft) == order[1])
        #expect(value("sid", "10.0.0.1", draft) == nil)
    }

    @Test("a logout at the host is not undone by an older login over the address")
    func deletedAtTheHost() throws {
        var draft = JarDraft(.empty)
        put("sid", "old", domain: "10.0.0.1", &draft)
        put("sid", "host", domain: "www.example.com", &draft)
        _ = draft.delete(StorageWorld.identity("sid"), in: store, now: now)
        #expect(try rewrite("10.0.0.1", "www.example.com", &draft).superseded == 1)
        #expect(draft.state[store].cookies.isEmpty)
    }

    @Test(
        "a rule that would no longer hold refuses the cookie, which stays where it is",
        arguments: [
            ("sid", "co.uk", false, CookieRejection.publicSuffix),
            ("sid", "com", true, .publicSuffix), ("sid", "localhost", true, .publicSuffix),
            ("__Host-sid", "www.example.com", true, .hostPrefix),
            ("sid", "10.0.0.2", true, .invalidDomain),
        ])
    func refusals(name: String, to: String, wide: Bool, reason: CookieRejection) throws {
        var draft = JarDraft(.empty)
        put(name, "1", domain: "10.0.0.1", &draft, secure: true)
        let report = try rewrite("10.0.0.1", to, wide: wide, &draft)
        #expect(report.results.map(\.reason) == [reason])
        #expect(report.rejected == 1)
        #expect(value(name, "10.0.0.1", draft) == "1")
        #expect(draft.changes.count == 1)
    }

    @Test(
        "what holds is moved",
        arguments: [
            ("__Host-sid", "www.example.com", false), ("sid", "localhost", false),
            ("sid", "10.0.0.2", false), ("__Secure-sid", "example.com", true),
        ])
    func acceptances(name: String, to: String, wide: Bool) throws {
        var draft = JarDraft(.empty)
        put(name, "1", domain: "10.0.0.1", &draft, secure: true)
        #expect(try rewrite("10.0.0.1", to, wide: wide, &draft).rewritten == 1)
        #expect(draft.state[store].liveCookies(at: now).first?.secure == true)
    }

    @Test(
        "a partition of the address's own becomes the host's own; another one stays",
        arguments: [
            ("https://10.0.0.1", "https://example.com"), ("http://10.0.0.1", "http://example.com"),
            ("https://10.0.0.2", "https://10.0.0.2"),
            ("https://top.example", "https://top.example"),
        ])
    func partitions(before: String, after: String) throws {
        var draft = JarDraft(.empty)
        let cookie = StorageWorld.cookie("sid", "1", domain: "10.0.0.1", partitionKey: before)
        _ = draft.put(cookie, in: store, rules: rules, now: now)
        #expect(try rewrite("10.0.0.1", "www.example.com", &draft).rewritten == 1)
        let keys = draft.state[store].liveCookies(at: now).map(\.identity.partitionKey)
        #expect(keys == [Array(after.utf8)])
    }

    @Test("the removal from the address travels, the moved cookie does too")
    func travels() throws {
        var draft = JarDraft(.empty)
        put("sid", "1", domain: "10.0.0.1", &draft)
        let request = SyncRequest(from: store, to: other)
        _ = draft.sync(request, rules: rules, now: now)
        _ = try rewrite("10.0.0.1", "www.example.com", &draft)
        let report = draft.sync(request, rules: rules, now: now)
        #expect(report.added == 1)
        #expect(report.deleted == 1)
        #expect(draft.state[other].liveCookies(at: now) == draft.state[store].liveCookies(at: now))
    }
}
