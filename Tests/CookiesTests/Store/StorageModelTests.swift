// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

/// One line of a table: a response, and what is to become of its cookie.
struct StorageCase: Sendable, CustomTestStringConvertible {
    let url: String
    let line: String
    let reason: CookieRejection?
    var httpAPI = true
    var context = SameSiteContext.strict
    var partitionKey: String?

    var testDescription: String { "\(line) from \(url)" }

    init(
        _ url: String, _ line: String, _ reason: CookieRejection?, httpAPI: Bool = true,
        context: SameSiteContext = .strict, partitionKey: String? = nil
    ) {
        self.url = url
        self.line = line
        self.reason = reason
        self.httpAPI = httpAPI
        self.context = context
        self.partitionKey = partitionKey
    }
}

@Suite("Storage model (section 5.7)")
struct StorageModelTests {
    private static let https = "https://www.example.com/a/b"
    private static let http = "http://www.example.com/a/b"

    private static let table = [
        StorageCase(https, "a=b", nil),
        StorageCase(https, "a=b\u{1}", .controlCharacter),
        StorageCase(https, "=", .emptyCookie),
        StorageCase(https, String(repeating: "n", count: 4097), .nameValueTooLong),
        StorageCase(https, "=__Secure-x", .namelessPrefix),
        StorageCase(https, "__host-", .namelessPrefix),
        StorageCase(https, "__HTTP-a", .namelessPrefix),
        StorageCase(https, "a=b; Domain=é.example.com", .invalidDomain),
        StorageCase(https, "a=b; Domain=.", .invalidDomain),
        StorageCase(https, "a=b; Domain=..example.com", .invalidDomain),
        StorageCase(https, "a=b; Domain=example.com:443", .invalidDomain),
        StorageCase(https, "a=b; Domain=example.com/x", .invalidDomain),
        StorageCase(https, "a=b; Domain=example.org", .domainMismatch),
        StorageCase(https, "a=b; Domain=api.example.com", .domainMismatch),
        StorageCase(https, "a=b; Domain=a.www.example.com", .domainMismatch),
        StorageCase(https, "a=b; Domain=example.com.", .domainMismatch),
        StorageCase("https://evilexample.com/", "a=b; Domain=example.com", .domainMismatch),
        StorageCase(https, "a=b; Domain=com", .publicSuffix),
        StorageCase(https, "a=b; Domain=.CoM", .publicSuffix),
        StorageCase("https://x.co.uk/", "a=b; Domain=co.uk", .publicSuffix),
        StorageCase("https://www.dkg.forgot.his.name/", "a=b; Domain=his.name", .publicSuffix),
        StorageCase("https://co.uk/", "a=b; Domain=co.uk", nil),
        StorageCase("http://localhost/", "a=b; Domain=localhost", nil),
        StorageCase(https, "a=b; Domain=", nil),
        StorageCase(https, "a=b; Domain=.EXAMPLE.com", nil),
        StorageCase("http://127.0.0.1/", "a=b; Domain=127.0.0.1", nil),
        StorageCase("http://127.0.0.1/", "a=b; Domain=.0.0.1", .domainMismatch),
        StorageCase("http://127.0.0.1/", "a=b; Domain=1", .domainMismatch),
        StorageCase("http://[::1]/", "a=b; Domain=[0:0::1]", nil),
        StorageCase("http://[::1]/", "a=b; Domain=::1", .invalidDomain),
        StorageCase(http, "a=b; Secure", .secureRequired),
        StorageCase("ws://www.example.com/", "a=b; Secure", .secureRequired),
        StorageCase("wss://www.example.com/", "a=b; Secure", nil),
        StorageCase("http://localhost/", "a=b; Secure", nil),
        StorageCase("http://[::1]/", "a=b; Secure", nil),
        StorageCase(https, "a=b; HttpOnly", .httpOnlyFromScript, httpAPI: false),
        StorageCase(https, "a=b", .sameSiteCrossSite, context: .crossSite),
        StorageCase(https, "a=b; SameSite=Lax", .sameSiteCrossSite, context: .crossSite),
        StorageCase(https, "a=b; SameSite=Strict", nil, context: .lax),
        StorageCase(https, "a=b; SameSite=Strict", nil, context: .laxUnsafe),
        StorageCase(https, "a=b; SameSite=None; Secure", nil, context: .crossSite),
        StorageCase(https, "a=b; SameSite=None", .sameSiteNoneInsecure),
        StorageCase(https, "__Secure-a=b", .securePrefix),
        StorageCase(https, "__SECURE-a=b; Secure", nil),
        StorageCase(https, "__Host-a=b; Path=/", .hostPrefix),
        StorageCase(https, "__Host-a=b; Secure", .hostPrefix),
        StorageCase(https, "__Host-a=b; Secure; Path=", .hostPrefix),
        StorageCase("https://www.example.com/", "__Host-a=b; Secure", .hostPrefix),
        StorageCase("https://www.example.com/", "__Host-a=b; Secure; Path", .hostPrefix),
        StorageCase(https, "__Host-a=b; Secure; Path=/; Domain=www.example.com", .hostPrefix),
        StorageCase(https, "__hOsT-a=b; Secure; Path=/; Domain=", nil),
        StorageCase(https, "__Host-a=b; Secure; Path=/", nil, httpAPI: false),
        StorageCase(https, "__Http-a=b; Secure", .httpPrefix),
        StorageCase(https, "__Http-a=b; HttpOnly", .httpPrefix),
        StorageCase(https, "__Http-a=b; Secure", .httpPrefix, httpAPI: false),
        StorageCase(https, "__Http-a=b; Secure; HttpOnly; Domain=example.com", nil),
        StorageCase(https, "__Host-Http-a=b; Secure; HttpOnly", .hostHttpPrefix),
        StorageCase(https, "__Host-Http-a=b; Secure; Path=/", .hostHttpPrefix),
        StorageCase(https, "__Host-Http-a=b; Secure; HttpOnly; Path=/", nil),
        StorageCase(https, "a=b; Partitioned", .partitionedInsecure),
        StorageCase(https, "a=b; Partitioned; Secure", nil, partitionKey: "https://t.example"),
        StorageCase(https, "a=b; Partitioned; Secure", .invalidPartitionKey, partitionKey: "t"),
        StorageCase(https, "a=b; Secure", nil, partitionKey: "not looked at"),
    ]

    @Test("Each rule by its reason", arguments: table)
    func rules(_ row: StorageCase) throws {
        var jar = TestJar(try World.rules())
        let context = ResponseContext(
            url: try World.url(row.url), httpAPI: row.httpAPI, sameSiteContext: row.context,
            partitionKey: row.partitionKey.map { Array($0.utf8) })
        #expect(jar.receive(Array(row.line.utf8), from: context) == row.reason)
        #expect(jar.store.count == (row.reason == nil ? 1 : 0))
    }

    @Test("Loopback is not secure when the operator says so")
    func loopbackSetting() throws {
        var jar = TestJar(try World.rules(loopbackIsSecure: false))
        #expect(try jar.receive("a=b; Secure", from: "http://localhost/") == .secureRequired)
    }

    @Test("The cookie that results, part by part")
    func parts() throws {
        let rules = try World.rules()
        let store = CookieStore()
        let line = try SetCookie(parsing: Array("a=b; Domain=example.com; Max-Age=60".utf8))
        let context = ResponseContext(url: try World.url(Self.https), source: .script)
        let decision = store.decide(line, from: context, rules: rules, now: World.now, order: 7)
        guard case .store(let cookie, isReplacing: false) = decision else {
            Issue.record("not stored")
            return
        }
        #expect(
            cookie.identity
                == CookieIdentity(
                    name: [0x61], domain: Array("example.com".utf8), hostOnly: false,
                    path: Array("/a".utf8)))
        #expect(cookie.expires == World.now.adding(seconds: 60))
        #expect(cookie.createdAt == World.now && cookie.updatedAt == World.now)
        #expect(cookie.creationOrder == 7 && cookie.version == 7)
        #expect(cookie.source == .script && !cookie.wasSession && cookie.sameSite == .unset)
    }

    @Test("An overwrite keeps the creation, and says what it replaces")
    func overwrite() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("a=1; Path=/", from: Self.https)
        try jar.receive("b=1; Path=/", from: Self.https)
        jar.now = World.now.adding(seconds: 500)
        try jar.receive("a=2; Path=/; Secure", from: Self.https)
        #expect(try jar.header(for: Self.https) == "a=2; b=1")
        let identity = CookieIdentity(
            name: [0x61], domain: Array("www.example.com".utf8), hostOnly: true, path: [0x2F])
        let cookie = try #require(jar.store[identity])
        #expect(cookie.createdAt == World.now && cookie.creationOrder == 1)
        #expect(cookie.updatedAt == jar.now && cookie.version == 3)
    }

    @Test("The same content is unchanged; one different flag is not")
    func unchanged() throws {
        let rules = try World.rules()
        var store = CookieStore()
        let context = ResponseContext(url: try World.url(Self.https))
        func decide(_ text: String, after seconds: Int64) throws -> StorageDecision {
            store.decide(
                try SetCookie(parsing: Array(text.utf8)), from: context, rules: rules,
                now: World.now.adding(seconds: seconds), order: 9)
        }
        let line = "a=1; Path=/; Expires=1 Jan 2027 00:00:00"
        guard case .store(let cookie, isReplacing: false) = try decide(line, after: 0) else {
            Issue.record("not stored")
            return
        }
        store.upsert(cookie)
        guard case .unchanged = try decide(line, after: 10) else {
            Issue.record("not unchanged")
            return
        }
        guard case .store(_, isReplacing: true) = try decide(line + "; HttpOnly", after: 10) else {
            Issue.record("not replaced")
            return
        }
    }

    @Test("An expired line deletes, what is not there as well")
    func deletion() throws {
        let rules = try World.rules()
        var jar = TestJar(rules)
        let line = try SetCookie(parsing: Array("a=; Path=/; Max-Age=0".utf8))
        let context = ResponseContext(url: try World.url(Self.https))
        guard
            case .delete(let identity, existing: nil) = jar.store.decide(
                line, from: context, rules: rules, now: jar.now, order: 1)
        else {
            Issue.record("not a deletion")
            return
        }
        #expect(identity.name == [0x61])
        try jar.receive("a=1; Path=/", from: Self.https)
        guard
            case .delete(_, existing: .some) = jar.store.decide(
                line, from: context, rules: rules, now: jar.now, order: 2)
        else {
            Issue.record("not a deletion of something")
            return
        }
        try jar.receive("a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: Self.https)
        #expect(jar.store.isEmpty)
    }

    @Test("An insecure origin leaves Secure cookies alone, in both directions of the domain")
    func secureOverlay() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("s=1; Secure; Domain=example.com; Path=/login", from: Self.https)
        try jar.receive("t=1; Secure; Path=/", from: Self.https)
        let rows: [(String, String, CookieRejection?)] = [
            ("http://www.example.com/", "s=2; Path=/login", .secureOverlay),
            ("http://www.example.com/", "s=2; Path=/login/en", .secureOverlay),
            ("http://www.example.com/", "s=2; Path=/", nil),
            ("http://www.example.com/", "s=2; Path=/loginx", nil),
            ("http://api.example.com/", "t=2; Domain=example.com; Path=/", .secureOverlay),
            ("http://api.example.com/", "t=2; Path=/", nil),
            ("http://example.org/", "s=2; Path=/login", nil),
            ("https://www.example.com/", "s=3; Domain=example.com; Path=/login", nil),
        ]
        for (url, line, reason) in rows {
            #expect(try jar.receive(line, from: url) == reason, "\(line) from \(url)")
        }
    }

    @Test("An expired cookie is as good as gone: nothing is replaced, and nothing handed on")
    func expiredPlace() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("a=1; Max-Age=10; HttpOnly", from: "https://example.com/")
        try jar.receive("b=1", from: "https://example.com/")
        jar.now = World.now.adding(seconds: 10)
        let line = try SetCookie(parsing: Array("a=2".utf8))
        let script = ResponseContext(url: try World.url("https://example.com/"), httpAPI: false)
        guard
            case .store(let cookie, false) = jar.store.decide(
                line, from: script, rules: jar.rules, now: jar.now, order: 9)
        else {
            Issue.record("not stored as a new cookie")
            return
        }
        #expect(cookie.createdAt == jar.now && cookie.creationOrder == 9)
        try jar.receive("a=2", from: "https://example.com/")
        #expect(try jar.header(for: "https://example.com/") == "b=1; a=2")
    }

    @Test("An expired Secure cookie protects nothing")
    func expiredOverlay() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("s=1; Secure; Path=/; Max-Age=10", from: Self.https)
        #expect(try jar.receive("s=2; Path=/", from: Self.http) == .secureOverlay)
        jar.now = jar.now.adding(seconds: 10)
        #expect(try jar.receive("s=2; Path=/", from: Self.http) == nil)
        #expect(try jar.header(for: Self.http) == "s=2")
    }

    @Test("A script neither overwrites nor deletes an HttpOnly cookie")
    func httpOnlyOverwrite() throws {
        var jar = TestJar(try World.rules())
        try jar.receive("a=1; HttpOnly; Path=/", from: Self.https)
        let script = ResponseContext(url: try World.url(Self.https), httpAPI: false)
        #expect(jar.receive(Array("a=2; Path=/".utf8), from: script) == .httpOnlyOverwrite)
        #expect(
            jar.receive(Array("a=; Path=/; Max-Age=0".utf8), from: script) == .httpOnlyOverwrite)
        #expect(jar.receive(Array("a=3; Path=/a".utf8), from: script) == nil)
        #expect(try jar.header(for: "https://www.example.com/") == "a=1")
    }

    @Test("Every reason has a test")
    func reasonsAreCovered() throws {
        let elsewhere: Set<CookieRejection> = [
            .secureOverlay, .httpOnlyOverwrite,  // Above, as they need a store.
            .invalidName, .invalidValue, .invalidPath, .attributeTooLong,  // Finished cookies.
            .alreadyExpired,
            .acceptPolicy, .ambiguousHost,  // These are the service's.
        ]
        let covered = elsewhere.union(Self.table.compactMap(\.reason))
        #expect(covered == Set(CookieRejection.allCases))
    }
}
