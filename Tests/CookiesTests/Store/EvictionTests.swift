// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Limits and eviction")
struct EvictionTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A cookie as it would be stored; `used` is its last access in seconds before now.
    private func cookie(
        _ name: String, domain: String = "example.com", secure: Bool = true, used: Int64 = 0,
        expires: Timestamp? = nil, partition: String? = nil, value: String = "v", order: UInt64 = 1
    ) -> Cookie {
        let identity = CookieIdentity(
            name: bytes(name), domain: bytes(domain), hostOnly: true, path: [0x2F],
            partitionKey: partition.map(bytes))
        return Cookie(
            identity: identity, value: CookieValue(bytes(value)), secure: secure, httpOnly: false,
            sameSite: .unset, expires: expires, createdAt: World.now, creationOrder: order,
            updatedAt: World.now, version: 1, lastAccess: World.now.adding(seconds: -used),
            wasSession: false, source: .header)
    }

    private func evicted(
        _ store: CookieStore, after cookie: Cookie, limits: CookieLimits = .standard
    ) throws -> [String] {
        let rules = try World.rules(limits: limits)
        let identities = store.evictions(
            afterStoring: cookie.identity, rules: rules, now: World.now)
        return identities.map { String(decoding: $0.name, as: UTF8.self) }
    }

    @Test(
        "180 cookies of a registrable domain stay; the 181st leaves 150, least recently used first")
    func perDomain() throws {
        var store = CookieStore()
        store.upsert(cookie("login", domain: "other.example", used: 99_999))
        for number in 0..<180 {
            let domain = ["example.com", "a.example.com", "b.a.example.com"][number % 3]
            store.upsert(cookie("c\(number)", domain: domain, used: Int64(1000 - number)))
        }
        let last = cookie("c179", domain: "b.a.example.com", used: 821)
        #expect(try evicted(store, after: last) == [])
        let new = cookie("new", domain: "a.example.com", used: 5000)
        store.upsert(new)
        #expect(try evicted(store, after: new) == (0..<31).map { "c\($0)" })
    }

    @Test("Expired first, then insecure, then by last access; the new one is spared")
    func order() throws {
        var limits = CookieLimits.standard
        limits.perDomain = 4
        limits.perDomainAfterEviction = 2
        var store = CookieStore()
        store.upsert(cookie("old", used: 900))
        store.upsert(cookie("fresh", used: 1))
        store.upsert(cookie("insecure", secure: false, used: 5))
        store.upsert(cookie("expired", used: 0, expires: World.now))
        let new = cookie("new", secure: false, used: 9999)
        store.upsert(new)
        #expect(try evicted(store, after: new, limits: limits) == ["expired", "insecure", "old"])
    }

    @Test("What was sent lately stays; to be explained or listed is no use")
    func lastAccess() throws {
        var limits = CookieLimits()
        (limits.perDomain, limits.perDomainAfterEviction) = (3, 3)
        var jar = TestJar(try World.rules(limits: limits))
        for name in ["a", "b", "c"] {
            try jar.receive("\(name)=1; Path=/\(name)", from: "https://www.example.com/")
        }
        jar.now = World.now.adding(seconds: 60)
        let copy = jar.store
        let explained = RequestContext(url: try World.url("https://www.example.com/b"))
        _ = copy.explain(for: explained, rules: jar.rules, now: jar.now)
        copy.forEach { _ in }
        var accesses: [CookieIdentity] = []
        jar.store.forEachAccess { identity, _ in accesses.append(identity) }
        #expect(accesses.isEmpty)
        // The copy has the same cookies, so that a read of it counts here.
        #expect(copy.matches(for: explained, rules: jar.rules, now: jar.now).count == 1)
        var header: [UInt8] = []
        let request = RequestContext(url: try World.url("https://www.example.com/a"))
        _ = copy.appendCookieHeader(for: request, rules: jar.rules, now: jar.now, to: &header)
        jar.store.forEachAccess { identity, time in
            accesses.append(identity)
            #expect(time == jar.now)
        }
        #expect(accesses.map(\.name) == [Array("a".utf8)])
        try jar.receive("d=1; Path=/d", from: "https://www.example.com/")
        #expect(try jar.header(for: "https://www.example.com/a") == "a=1")
        #expect(try jar.header(for: "https://www.example.com/b") == "")
        #expect(try jar.header(for: "https://www.example.com/c") == "c=1")
    }

    @Test("The last access is kept to the minute, and survives a change of its neighbour")
    func minutes() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("a=1", from: "https://www.example.com/")
        func access() -> Timestamp? {
            var found: Timestamp?
            jar.store.forEach { if $0.identity.name == Array("a".utf8) { found = $0.lastAccess } }
            return found
        }
        for (seconds, expected) in [(59, 0), (60, 60), (119, 60), (-500, 60), (120, 120)] {
            jar.now = World.now.adding(seconds: Int64(seconds))
            #expect(try jar.header(for: "https://www.example.com/") == "a=1")
            #expect(access() == World.now.adding(seconds: Int64(expected)), "\(seconds)")
        }
        try jar.receive("b=1", from: "https://www.example.com/")
        #expect(access() == World.now.adding(seconds: 120))
    }

    @Test("Among cookies used at the same time the older goes first")
    func ties() throws {
        var limits = CookieLimits.standard
        limits.perDomain = 3
        limits.perDomainAfterEviction = 2
        var store = CookieStore()
        for (number, name) in ["c", "a", "b"].enumerated() {
            store.upsert(cookie(name, order: UInt64(number)))
        }
        let new = cookie("new", order: 9)
        store.upsert(new)
        #expect(try evicted(store, after: new, limits: limits) == ["c", "a"])
    }

    @Test("A name below with a rule of the list in between is another site")
    func siteBoundary() throws {
        var limits = CookieLimits.standard
        limits.perDomain = 1
        limits.perDomainAfterEviction = 1
        var store = CookieStore()
        store.upsert(cookie("sub", domain: "b.c.kobe.jp", used: 50))
        store.upsert(cookie("city", domain: "x.city.kobe.jp", used: 50))
        let new = cookie("new", domain: "kobe.jp")
        store.upsert(new)
        #expect(try evicted(store, after: new, limits: limits) == [])
    }

    @Test("3300 cookies of the store stay; the 3301st leaves 3000")
    func perStore() throws {
        var store = CookieStore()
        for number in 0..<3300 {
            store.upsert(
                cookie("c\(number)", domain: "d\(number % 100).example", used: Int64(9999 - number))
            )
        }
        #expect(try evicted(store, after: cookie("c0", domain: "d0.example")) == [])
        let new = cookie("new", domain: "new.example")
        store.upsert(new)
        #expect(try evicted(store, after: new) == (0..<301).map { "c\($0)" })
    }

    @Test("A partition holds 180 cookies and 10 240 octets per site; others are not touched")
    func perPartition() throws {
        let key = "https://top.example"
        var store = CookieStore()
        for number in 0..<180 {
            store.upsert(cookie("c\(number)", used: Int64(1000 - number), partition: key))
            store.upsert(cookie("u\(number)", used: 5000))
            store.upsert(cookie("o\(number)", used: 5000, partition: "https://other.example"))
        }
        var new = cookie("new", partition: key)
        store.upsert(new)
        #expect(try evicted(store, after: new) == ["c0"])

        var sized = CookieStore()
        let value = String(repeating: "v", count: 4000)
        sized.upsert(cookie("a", used: 3, partition: key, value: value))
        sized.upsert(cookie("b", used: 9, partition: key, value: value))
        new = cookie("c", partition: key, value: String(repeating: "v", count: 2237))
        sized.upsert(new)
        #expect(try evicted(sized, after: new) == [])
        new = cookie("c", partition: key, value: String(repeating: "v", count: 2238))
        sized.upsert(new)
        #expect(try evicted(sized, after: new) == ["b"])
    }

    @Test("Addresses and public suffixes count by themselves")
    func noSite() throws {
        var limits = CookieLimits.standard
        limits.perDomain = 1
        limits.perDomainAfterEviction = 1
        for domain in ["127.0.0.1", "[::1]", "github.io", "localhost"] {
            var store = CookieStore()
            store.upsert(cookie("sub", domain: "me.github.io", used: 70))
            store.upsert(cookie("old", domain: domain, used: 50))
            let new = cookie("new", domain: domain)
            store.upsert(new)
            #expect(try evicted(store, after: new, limits: limits) == ["old"], "\(domain)")
        }
    }
}
