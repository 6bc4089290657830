// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Matching other than by the specification")
struct MatchingTests {
    private let rules: CookieRules

    init() throws { rules = try World.rules() }

    private func store() -> CookieStore {
        var store = CookieStore()
        var order: UInt64 = 0
        for (name, domain, hostOnly, path) in [
            ("h", "example.com", true, "/"), ("d", ".example.com", false, "/"),
            ("p", "example.com", true, "/deep"), ("o", "other.test", true, "/"),
            ("i", "203.0.113.7", true, "/"),
        ] {
            order += 1
            let decision = store.decide(
                FinishedCookie(
                    name: Array(name.utf8), value: [0x31], domain: Array(domain.utf8),
                    hostOnly: hostOnly, path: Array(path.utf8)),
                rules: rules, now: World.now, order: order)
            if case .store(let cookie, _) = decision { store.upsert(cookie) }
        }
        return store
    }

    @Test(
        "sends to hosts that end with, or hold, the domain, and only widens",
        arguments: [
            ("https://example.com/", "h=1; d=1", "h=1; d=1", "h=1; d=1"),
            ("https://example.com/deep/x", "p=1; h=1; d=1", "p=1; h=1; d=1", "p=1; h=1; d=1"),
            ("https://www.example.com/", "d=1", "h=1; d=1", "h=1; d=1"),
            ("https://evilexample.com/", "", "h=1; d=1", "h=1; d=1"),
            ("https://example.com.evil.test/", "", "", "h=1; d=1"),
            ("https://com/", "", "", ""),
            ("https://203.0.113.7/", "i=1", "i=1", "i=1"),
            ("https://1.203.0.113/", "", "", ""),
            ("https://203.0.113.77/", "", "", ""),
        ])
    func headers(url: String, strict: String, suffix: String, contains: String) throws {
        let request = RequestContext(
            url: try CookieURL(parsing: Array(url.utf8), names: rules.names))
        let store = store()
        for (matching, expected) in [
            (HostMatching.rfc6265, strict), (.hostSuffix, suffix), (.hostContains, contains),
        ] {
            var header: [UInt8] = []
            let summary = store.appendCookieHeader(
                for: request, rules: rules, now: World.now, matching: matching, to: &header)
            #expect(String(decoding: header, as: UTF8.self) == expected, "\(matching) \(url)")
            let explained = store.explain(
                for: request, rules: rules, now: World.now, matching: matching)
            #expect(explained.count { $0.obstacles.isEmpty } == summary.count)
        }
    }
}
