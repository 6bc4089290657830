// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("The store as a value")
struct CookieStoreTests {
    private func cookie(
        _ name: String, domain: String, path: String = "/", order: UInt64 = 1, value: String = "v"
    ) -> Cookie {
        let identity = CookieIdentity(
            name: Array(name.utf8), domain: Array(domain.utf8), hostOnly: true,
            path: Array(path.utf8))
        return Cookie(
            identity: identity, value: CookieValue(Array(value.utf8)), secure: false,
            httpOnly: false, sameSite: .unset, expires: nil, createdAt: World.now,
            creationOrder: order, updatedAt: World.now, version: order, lastAccess: World.now,
            wasSession: false, source: .put)
    }

    private func names(_ store: CookieStore) -> [String] {
        var names: [String] = []
        store.forEach { names.append(String(decoding: $0.identity.name, as: UTF8.self)) }
        return names
    }

    @Test("Upsert, look up, remove")
    func basics() {
        var store = CookieStore()
        let first = cookie("a", domain: "example.com")
        store.upsert(first)
        let second = cookie("a", domain: "example.com", value: "w")
        store.upsert(second)
        #expect(store.count == 1 && store[first.identity] == second)
        #expect(store.remove(cookie("b", domain: "example.com").identity) == nil)
        #expect(store.remove(first.identity) == second)
        #expect(store.isEmpty && store[first.identity] == nil)
        #expect(store.remove(first.identity) == nil)
    }

    @Test("Each part of the identity tells cookies apart")
    func identities() {
        var store = CookieStore()
        for name in ["a", "A"] {
            for domain in ["example.com", "www.example.com"] {
                for hostOnly in [true, false] {
                    for path in ["/", "/a", "/a/"] {
                        for key in [nil, "https://a.example", "https://b.example"] {
                            var stored = cookie(name, domain: domain, path: path)
                            stored.identity = CookieIdentity(
                                name: Array(name.utf8), domain: Array(domain.utf8),
                                hostOnly: hostOnly, path: Array(path.utf8),
                                partitionKey: key.map { Array($0.utf8) })
                            store.upsert(stored)
                        }
                    }
                }
            }
        }
        #expect(store.count == 72)
    }

    @Test("Names that are canonically equivalent are different cookies")
    func normalForms() {
        var store = CookieStore()
        store.upsert(cookie("caf\u{E9}", domain: "example.com"))
        store.upsert(cookie("cafe\u{301}", domain: "example.com"))
        #expect(store.count == 2)
    }

    @Test("Visits by domain, then in header order, however it was filled")
    func order() {
        let cookies = [
            cookie("a", domain: "a.example", path: "/long", order: 9),
            cookie("b", domain: "a.example", order: 2), cookie("c", domain: "a.example", order: 5),
            cookie("d", domain: "b.example", order: 1), cookie("e", domain: "b.example", order: 1),
        ]
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            var store = CookieStore()
            for cookie in cookies.shuffled(using: &generator) { store.upsert(cookie) }
            #expect(names(store) == ["a", "b", "c", "d", "e"])
        }
    }

    @Test("A copy is not touched by later changes")
    func copies() {
        var store = CookieStore()
        for number in 0..<50 { store.upsert(cookie("c", domain: "d\(number).example")) }
        let copy = store
        for number in 0..<50 where number % 2 == 0 {
            store.remove(cookie("c", domain: "d\(number).example").identity)
        }
        store.upsert(cookie("c", domain: "d1.example", value: "changed"))
        #expect(copy.count == 50 && store.count == 25)
        let identity = cookie("c", domain: "d1.example").identity
        #expect(copy[identity]?.value.bytes == Array("v".utf8))
        #expect(store[identity]?.value.bytes == Array("changed".utf8))
        #expect(copy[cookie("c", domain: "d0.example").identity] != nil)
    }

    @Test("Finds every domain while others come and go")
    func churn() {
        var generator = SeededGenerator(seed: 7)
        var store = CookieStore()
        var present: Set<Int> = []
        for _ in 0..<20_000 {
            let domain = Int.random(in: 0..<300, using: &generator)
            let cookie = cookie("c", domain: "d\(domain).example")
            if generator.chance(50) {
                store.upsert(cookie)
                present.insert(domain)
            } else {
                #expect((store.remove(cookie.identity) != nil) == (present.remove(domain) != nil))
            }
            let other = Int.random(in: 0..<300, using: &generator)
            let found = store[self.cookie("c", domain: "d\(other).example").identity]
            #expect((found != nil) == present.contains(other))
        }
        #expect(store.count == present.count)
    }

    @Test("Agrees with a dictionary over ten thousand random changes")
    func model() {
        var generator = SeededGenerator(seed: 42)
        var store = CookieStore()
        var model: [CookieIdentity: Cookie] = [:]
        for step in 0..<10_000 {
            let cookie = cookie(
                generator.pick(["a", "b", "c"]),
                domain: "d\(Int.random(in: 0..<60, using: &generator)).example",
                path: generator.pick(["/", "/x"]), order: UInt64(step))
            if generator.chance(55) {
                let identity = cookie.identity
                #expect(store.hasLive(identity, at: World.now) == (model[identity] != nil))
                #expect(store[identity] == model.updateValue(cookie, forKey: identity))
                store.upsert(cookie)
            } else {
                #expect(store.remove(cookie.identity) == model.removeValue(forKey: cookie.identity))
            }
            #expect(store.count == model.count)
        }
        for (identity, cookie) in model { #expect(store[identity] == cookie) }
        var visited = 0
        store.forEach { _ in visited += 1 }
        #expect(visited == model.count)
    }
}
