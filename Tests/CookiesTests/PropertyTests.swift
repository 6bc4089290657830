// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

/// Properties over random lines and URLs, seeded.
@Suite("Properties")
struct PropertyTests {
    private static let hosts = [
        "example.com", "www.example.com", "a.b.example.com", "example.org", "127.0.0.1", "[::1]",
        "localhost", "x.github.io", "co.uk",
    ]

    private func url(_ generator: inout SeededGenerator) -> String {
        let scheme = generator.pick(["http", "https", "https", "wss"])
        let path = generator.pick(["", "/", "/a", "/a/b", "/a/b/", "/%61", "/ä"])
        return "\(scheme)://\(generator.pick(Self.hosts))\(path)"
    }

    /// A line that is mostly sensible, sometimes not.
    private func line(_ generator: inout SeededGenerator) -> [UInt8] {
        var text = generator.pick(["a", "b", "__Host-c", "__Secure-d", "__Http-e", "", " f "])
        text += generator.pick(["=", "=", "=", ""])
        text += generator.pick(["1", "2", "", "x y", "\"q\"", "v=w", "é", " t "])
        let attributes = [
            "Secure", "HttpOnly", "Path=/", "Path=/a", "Path=b", "Path=/a/b/", "Domain=example.com",
            "Domain=.www.example.com", "Domain=com", "Domain=127.0.0.1", "Max-Age=0",
            "Max-Age=60", "Max-Age=+5", "SameSite=None", "SameSite=Lax", "SameSite=Strict",
            "Partitioned", "Expires=1 Jan 2027 00:00:00", "Expires=x", "Nonsense=\u{301}",
        ]
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            text += generator.pick([";", "; ", " ;\t"]) + generator.pick(attributes)
        }
        var bytes = Array(text.utf8)
        if generator.chance(5), !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    private func context(_ generator: inout SeededGenerator) throws -> ResponseContext {
        ResponseContext(
            url: try World.url(url(&generator)), httpAPI: generator.chance(90),
            sameSiteContext: generator.pick([.strict, .strict, .strict, .lax, .crossSite]),
            partitionKey: generator.chance(20) ? Array("https://top.example".utf8) : nil)
    }

    private func cookies(_ store: CookieStore) -> [Cookie] {
        var list: [Cookie] = []
        store.forEach { list.append($0) }
        return list
    }

    @Test("Refused lines leave the store as it was, in any interleaving")
    func refusedLinesChangeNothing() throws {
        var generator = SeededGenerator(seed: 7)
        var mixed = TestJar(try World.rules())
        var accepted: [(line: [UInt8], context: ResponseContext, at: Timestamp)] = []
        for _ in 0..<3000 {
            mixed.now = mixed.now.adding(seconds: 1)
            let line = line(&generator)
            let context = try context(&generator)
            let before = cookies(mixed.store)
            if mixed.receive(line, from: context) == nil {
                accepted.append((line, context, mixed.now))
            } else {
                #expect(cookies(mixed.store) == before)
            }
        }
        #expect(accepted.count > 500 && accepted.count < 2700)
        var alone = TestJar(try World.rules())
        for (line, context, time) in accepted {
            alone.now = time
            #expect(alone.receive(line, from: context) == nil)
        }
        // Revisions differ, as refused lines took some; the header does not.
        for host in Self.hosts {
            for scheme in ["http", "https"] {
                let url = "\(scheme)://\(host)/a/b/"
                #expect(try mixed.header(for: url) == alone.header(for: url))
            }
        }
    }

    @Test("A stored cookie is sent to the URL that set it, unless explain names the rule")
    func storedIsRetrievable() throws {
        var generator = SeededGenerator(seed: 11)
        var stored = 0
        for _ in 0..<3000 {
            var jar = TestJar(try World.rules())
            let context = try context(&generator)
            guard jar.receive(line(&generator), from: context) == nil, !jar.store.isEmpty else {
                continue
            }
            stored += 1
            let request = RequestContext(url: context.url, partitionKey: context.partitionKey)
            let verdict = try #require(
                jar.store.explain(for: request, rules: jar.rules, now: jar.now).first)
            // Only a Path attribute that the URL does not lie within keeps it back.
            let covers = verdict.obstacles.isEmpty || verdict.obstacles.list == [.pathMismatch]
            #expect(covers)
            #expect(jar.header(for: request).isEmpty == !verdict.obstacles.isEmpty)
        }
        #expect(stored > 500)
    }

    @Test("Header, matches and explain agree, and the order is total and independent of insertion")
    func orderIsTotal() throws {
        var generator = SeededGenerator(seed: 13)
        var jar = TestJar(try World.rules())
        for _ in 0..<1500 {
            jar.receive(line(&generator), from: try context(&generator))
        }
        var shuffled = CookieStore()
        for cookie in cookies(jar.store).shuffled(using: &generator) { shuffled.upsert(cookie) }
        for _ in 0..<300 {
            let request = RequestContext(
                url: try World.url(url(&generator)), httpAPI: generator.chance(80),
                sameSiteContext: generator.pick(SameSiteContext.allCases),
                partitionKey: generator.chance(20) ? Array("https://top.example".utf8) : nil)
            let matches = jar.store.matches(for: request, rules: jar.rules, now: jar.now)
            let explained = jar.store.explain(for: request, rules: jar.rules, now: jar.now)
            #expect(explained.count == jar.store.count)
            #expect(explained.filter(\.obstacles.isEmpty).map(\.cookie) == matches)
            #expect(shuffled.matches(for: request, rules: jar.rules, now: jar.now) == matches)
            let header = matches.map { cookie -> [UInt8] in
                let name = cookie.identity.name
                return (name.isEmpty ? [] : name + [0x3D]) + cookie.value.bytes
            }
            #expect(jar.header(for: request) == Array(header.joined(separator: [0x3B, 0x20])))
            for (first, second) in zip(matches, matches.dropFirst()) {
                let (left, right) = (first.identity.path.count, second.identity.path.count)
                #expect(
                    left > right || (left == right && first.creationOrder < second.creationOrder))
            }
        }
    }

    @Test("Parsing what was serialised gives the same cookie")
    func parseAndSerialise() throws {
        var generator = SeededGenerator(seed: 17)
        let rules = try World.rules()
        var compared = 0
        for _ in 0..<3000 {
            let context = try context(&generator)
            guard let parsed = try? SetCookie(parsing: line(&generator)),
                case .store(let cookie, _) = CookieStore().decide(
                    parsed, from: context, rules: rules, now: World.now, order: 1)
            else { continue }
            let again = try SetCookie(parsing: Self.serialised(cookie))
            var second = context
            second.partitionKey = cookie.identity.partitionKey
            guard
                case .store(let copy, _) = CookieStore().decide(
                    again, from: second, rules: rules, now: World.now, order: 1)
            else {
                Issue.record("refused")
                continue
            }
            #expect(copy == cookie)
            compared += 1
        }
        #expect(compared > 500)
    }

    @Test("A finished cookie made of a stored one gives it back")
    func putWhatWasStored() throws {
        var generator = SeededGenerator(seed: 19)
        let rules = try World.rules()
        var compared = 0
        for _ in 0..<3000 {
            guard let parsed = try? SetCookie(parsing: line(&generator)),
                case .store(let cookie, _) = CookieStore().decide(
                    parsed, from: try context(&generator), rules: rules, now: World.now, order: 1)
            else { continue }
            let identity = cookie.identity
            let finished = FinishedCookie(
                name: identity.name, value: cookie.value.bytes, domain: identity.domain,
                hostOnly: identity.hostOnly, path: identity.path, secure: cookie.secure,
                httpOnly: cookie.httpOnly, sameSite: cookie.sameSite,
                partitionKey: identity.partitionKey, expires: cookie.expires)
            let decision = CookieStore().decide(finished, rules: rules, now: World.now, order: 1)
            guard case .store(let copy, _) = decision else {
                Issue.record("refused: \(decision)")
                continue
            }
            #expect(copy.hasSameContent(as: cookie))
            compared += 1
        }
        #expect(compared > 500)
    }

    @Test("Random octets never trap")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 23)
        let alphabet =
            Array("ax0.:;=,/\\%[]@?# \t\r\n\"2e-_+ExpiresDomainPath".utf8) + [0, 0xC3, 0xFF]
        var jar = TestJar(try World.rules())
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let text = (0..<count).map { _ in generator.pick(alphabet) }
            let url = try? CookieURL(parsing: Array("https://".utf8) + text, names: IDNA())
            _ = try? CookieURL(parsing: text, names: IDNA())
            _ = Host(text, names: IDNA())
            _ = CookieDate.parse(text)
            let folded = FoldedHeader(splitting: text)
            #expect(!folded.lines.isEmpty)
            let fallback = try World.url("https://example.com/")
            jar.receive(text, from: ResponseContext(url: url ?? fallback))
        }
    }

    /// A `Set-Cookie` line for a cookie, as a server would write it.
    private static func serialised(_ cookie: Cookie) -> [UInt8] {
        let identity = cookie.identity
        var line = identity.name + [0x3D] + cookie.value.bytes
        line += Array("; Path=".utf8) + identity.path
        if !identity.hostOnly { line += Array("; Domain=".utf8) + identity.domain }
        if cookie.secure { line += Array("; Secure".utf8) }
        if cookie.httpOnly { line += Array("; HttpOnly".utf8) }
        if identity.partitionKey != nil { line += Array("; Partitioned".utf8) }
        if let expires = cookie.expires {
            line += Array("; Max-Age=\(expires.seconds - World.now.seconds)".utf8)
        }
        switch cookie.sameSite {
        case .unset: break
        case .none: line += Array("; SameSite=None".utf8)
        case .lax: line += Array("; SameSite=Lax".utf8)
        case .strict: line += Array("; SameSite=Strict".utf8)
        }
        return line
    }

    @Test("Cookies that are loaded together are the store that they made one by one")
    func loadedTogether() throws {
        var generator = SeededGenerator(seed: 11)
        var jar = TestJar(try World.rules())
        for _ in 0..<400 {
            jar.now = jar.now.adding(seconds: 1)
            jar.receive(line(&generator), from: try context(&generator))
            guard generator.chance(10), var cookie = cookies(jar.store).last else { continue }
            cookie.legacy = LegacyAttributes(version: generator.pick([0, 1, nil]))
            jar.store.upsert(cookie)
            #expect(jar.store[cookie.identity] == cookie)
        }
        let list = cookies(jar.store)
        #expect(list.count > 20 && list.contains { $0.legacy != nil })
        for _ in 0..<20 {
            var loaded = CookieStore()
            loaded.insert(contentsOf: list.shuffled(using: &generator))
            #expect(cookies(loaded) == list)
            #expect((loaded.count, loaded.footprint) == (jar.store.count, jar.store.footprint))
            for cookie in list { #expect(loaded[cookie.identity] == cookie) }
            for cookie in list.shuffled(using: &generator) {
                #expect(loaded.remove(cookie.identity) == cookie)
            }
            #expect(loaded.isEmpty && loaded.footprint == 0)
        }
    }
}
