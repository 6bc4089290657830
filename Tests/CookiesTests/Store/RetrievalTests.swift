// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Retrieval (section 5.8.3)")
struct RetrievalTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "Domain and path",
        arguments: [
            ("https://www.example.com/app/x", "deep=1; app=1; host=1; dom=1"),
            ("https://www.example.com/app", "app=1; host=1; dom=1"),
            ("https://www.example.com/apple", "host=1; dom=1"),
            ("https://www.example.com/", "host=1; dom=1"),
            ("https://example.com/app/", "dom=1"), ("https://a.www.example.com/", "dom=1"),
            ("https://notexample.com/", ""), ("https://com/", ""),
            ("https://www.example.com./", "host=1; dom=1"),
        ])
    func scope(url: String, expected: String) throws {
        var jar = TestJar(try World.rules())
        try jar.receive("host=1; Path=/", from: "https://www.example.com/")
        try jar.receive("dom=1; Path=/; Domain=example.com", from: "https://www.example.com/")
        try jar.receive("app=1; Path=/app", from: "https://www.example.com/")
        try jar.receive("deep=1; Path=/app/", from: "https://www.example.com/")
        #expect(try jar.header(for: url) == expected)
    }

    @Test("Groups of several domains are merged into one order")
    func mergedOrder() throws {
        var jar = TestJar(try World.rules())
        for (number, domain) in [
            "c.example.com", "a.b.c.example.com", "example.com", "b.c.example.com",
        ].enumerated() {
            for path in ["/", "/x", "/x/y"] {
                try jar.receive(
                    "n\(number)=\(path.utf8.count); Domain=\(domain); Path=\(path)",
                    from: "https://a.b.c.example.com/")
            }
        }
        let expected = ["4", "2", "1"].flatMap { size in (0...3).map { "n\($0)=\(size)" } }
        #expect(
            try jar.header(for: "https://a.b.c.example.com/x/y") == expected.joined(separator: "; ")
        )
    }

    @Test(
        "SameSite against context, young and old",
        arguments: [
            (SameSiteContext.strict, 0, "s=1; l=1; n=1; u=1"), (.lax, 0, "l=1; n=1; u=1"),
            (.laxUnsafe, 120, "n=1; u=1"), (.laxUnsafe, 121, "n=1"), (.crossSite, 0, "n=1"),
            (.strict, 500, "s=1; l=1; n=1; u=1"), (.laxUnsafe, -50, "n=1; u=1"),
        ] as [(SameSiteContext, Int64, String)])
    func sameSite(context: SameSiteContext, age: Int64, expected: String) throws {
        var jar = TestJar(try World.rules())
        let url = "https://example.com/"
        try jar.receive("s=1; SameSite=Strict", from: url)
        try jar.receive("l=1; SameSite=Lax", from: url)
        try jar.receive("n=1; SameSite=None; Secure", from: url)
        try jar.receive("u=1", from: url)
        jar.now = jar.now.adding(seconds: age)
        let request = RequestContext(url: try World.url(url), sameSiteContext: context)
        #expect(jar.header(for: request) == bytes(expected))
    }

    @Test("Secure, HttpOnly and expiry")
    func flags() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("s=1; Secure; Path=/", from: "https://example.com/")
        try jar.receive("h=1; HttpOnly; Path=/", from: "https://example.com/")
        try jar.receive("t=1; Max-Age=10; Path=/", from: "https://example.com/")
        #expect(try jar.header(for: "http://example.com/") == "h=1; t=1")
        let script = RequestContext(url: try World.url("https://example.com/"), httpAPI: false)
        #expect(jar.header(for: script) == bytes("s=1; t=1"))
        jar.now = jar.now.adding(seconds: 10)
        #expect(try jar.header(for: "https://example.com/") == "s=1; h=1")
    }

    @Test("Nameless and empty-valued cookies, octets that are not UTF-8")
    func octets() throws {
        var jar = TestJar(try World.rules())
        let context = ResponseContext(url: try World.url("https://example.com/"))
        jar.receive(bytes("only"), from: context)
        jar.receive(bytes("empty="), from: context)
        jar.receive([0x78, 0x3D, 0xFF, 0xC3, 0x28], from: context)
        let found = jar.header(for: RequestContext(url: context.url))
        #expect(found == bytes("only; empty=; x=") + [0xFF, 0xC3, 0x28])
    }

    @Test("The summary tells the number and the soonest expiry; output is appended to")
    func summary() throws {
        var jar = TestJar(try World.rules())
        var output = bytes("Cookie: ")
        let request = RequestContext(url: try World.url("https://example.com/"))
        func ask() -> HeaderSummary {
            jar.store.appendCookieHeader(
                for: request, rules: jar.rules, now: jar.now, to: &output)
        }
        #expect(ask().count == 0 && output == bytes("Cookie: "))
        try jar.receive("a=1", from: "https://example.com/")
        #expect(ask().expiresAt == nil)
        try jar.receive("b=2; Max-Age=20", from: "https://example.com/")
        try jar.receive("c=3; Max-Age=10", from: "https://example.com/")
        try jar.receive("d=4; Max-Age=1; Path=/x", from: "https://example.com/")
        output = bytes("Cookie: ")
        let summary = ask()
        #expect(summary.count == 3 && summary.expiresAt == jar.now.adding(seconds: 10))
        #expect(output == bytes("Cookie: a=1; b=2; c=3"))
    }

    @Test(
        "Partitioned cookies are sent in their own partition only",
        arguments: [
            ("https://top.example", "p=top; u=1"), ("https://www.top.example:8443/x", "p=top; u=1"),
            ("http://top.example", "u=1"), ("https://other.example", "p=other; u=1"),
            ("nonsense", "u=1"), (nil, "p=own; u=1"), ("https://widget.example", "p=own; u=1"),
        ])
    func partitions(key: String?, expected: String) throws {
        var jar = TestJar(try World.rules())
        let url = try World.url("https://a.widget.example/")
        for (value, site) in [
            ("top", "https://top.example"), ("other", "https://other.example"), ("own", nil),
        ] {
            let context = ResponseContext(url: url, partitionKey: site.map(bytes))
            jar.receive(bytes("p=\(value); Secure; Partitioned"), from: context)
        }
        try jar.receive("u=1", from: "https://a.widget.example/")
        let request = RequestContext(url: url, partitionKey: key.map(bytes))
        #expect(jar.header(for: request) == bytes(expected))
        #expect(jar.store.count == 4)
    }

    @Test("Explain names every obstacle, in header order, and agrees with the header")
    func explain() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("a=1; Path=/app; Secure; SameSite=Strict", from: "https://example.com/")
        try jar.receive("b=1; Path=/", from: "https://example.com/")
        try jar.receive("c=1; Path=/; HttpOnly; Max-Age=5", from: "https://example.org/")
        try jar.receive("d=1; Path=/; Secure; Partitioned", from: "https://example.com/")
        jar.now = jar.now.adding(seconds: 300)
        let request = RequestContext(
            url: try World.url("http://example.com/"), httpAPI: false, sameSiteContext: .crossSite)
        let verdicts = jar.store.explain(for: request, rules: jar.rules, now: jar.now)
        let found = verdicts.map { verdict in
            String(decoding: verdict.cookie.identity.name, as: UTF8.self) + ":"
                + verdict.obstacles.list.map(\.rawValue).joined(separator: ",")
        }
        #expect(
            found == [
                "a:path-mismatch,secure-required,same-site", "b:same-site",
                "c:domain-mismatch,http-only,same-site,expired",
                "d:secure-required,same-site,partition-mismatch",
            ])
    }

    @Test(
        "Scope, whatever the flags say",
        arguments: [
            ("https://www.example.com/app/x", true, true),
            ("http://www.example.com/app", true, true),
            ("https://www.example.com/", false, false),
            ("https://a.www.example.com/app", false, true),
            ("https://example.com/app", false, false),
        ])
    func isInScope(url: String, hostOnly: Bool, domainWide: Bool) throws {
        for flag in [true, false] {
            let identity = CookieIdentity(
                name: [0x61], domain: bytes("www.example.com"), hostOnly: flag, path: bytes("/app"))
            let expected = flag ? hostOnly : domainWide
            #expect(CookieStore.isInScope(identity, of: try World.url(url)) == expected)
        }
    }
}
