// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Finished cookies (PUT)")
struct FinishedCookieTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func cookie(
        _ name: String = "a", value: String = "b", domain: String = "www.example.com",
        _ change: (inout FinishedCookie) -> Void = { _ in }
    ) -> FinishedCookie {
        var cookie = FinishedCookie(name: bytes(name), value: bytes(value), domain: bytes(domain))
        change(&cookie)
        return cookie
    }

    private func reason(_ cookie: FinishedCookie) throws -> CookieRejection? {
        var jar = TestJar(try World.rules())
        return jar.put(cookie)
    }

    @Test(
        "Names",
        arguments: [
            ("a", nil), ("", nil), ("a=b", CookieRejection.invalidName), ("a;b", .invalidName),
            ("a\u{7}", .invalidName), (" a", .invalidName), ("a\t", .invalidName), ("a\tb", nil),
            ("n=\u{338}", .invalidName), ("a\0b", .invalidName), ("$Path", nil), ("é", nil),
        ])
    func names(name: String, expected: CookieRejection?) throws {
        #expect(try reason(cookie(name)) == expected)
    }

    @Test(
        "Values",
        arguments: [
            ("", nil), ("a b", nil), ("a,b", nil), ("a=b", nil), ("\"q\"", nil), ("a\tb", nil),
            ("a;b", CookieRejection.invalidValue), ("a;\u{301} Domain=evil", .invalidValue),
            ("a\r\nb", .invalidValue), ("a ", .invalidValue), ("\0", .invalidValue),
        ])
    func values(value: String, expected: CookieRejection?) throws {
        #expect(try reason(cookie(value: value)) == expected)
    }

    @Test("Neither name nor value, too long, and a nameless imitation of a prefix")
    func nameAndValue() throws {
        #expect(try reason(cookie("", value: "")) == .invalidName)
        let value = String(repeating: "v", count: 4095)
        #expect(try reason(cookie("a", value: value)) == nil)
        #expect(try reason(cookie("ab", value: value)) == .nameValueTooLong)
        #expect(try reason(cookie("", value: "__Host-x=1")) == .namelessPrefix)
    }

    @Test(
        "Paths",
        arguments: [
            ("/", nil), ("/a b", nil), ("/é", nil), ("", CookieRejection.invalidPath),
            ("a", .invalidPath), ("/a;b", .invalidPath), ("/a\n", .invalidPath),
            ("/a ", .invalidPath), ("/" + String(repeating: "x", count: 1023), nil),
            ("/" + String(repeating: "x", count: 1024), .attributeTooLong),
        ])
    func paths(path: String, expected: CookieRejection?) throws {
        #expect(try reason(cookie { $0.path = bytes(path) }) == expected)
    }

    @Test(
        "Domains and the host-only flag",
        arguments: [
            ("example.com", nil, "example.com", true), (".example.com", nil, "example.com", false),
            ("EXAMPLE.com.", nil, "example.com", true),
            ("bücher.test", nil, "xn--bcher-kva.test", true),
            ("example.com", false, "example.com", false),
            (".example.com", true, "example.com", true),
            ("0x7f.1", false, "127.0.0.1", true), ("::1", false, "[::1]", true),
            ("[::1]", nil, "[::1]", true), ("co.uk", nil, "co.uk", true),
            ("localhost", nil, "localhost", true), ("ban\u{212A}.com", nil, "bank.com", true),
        ] as [(String, Bool?, String, Bool)])
    func domains(domain: String, asked: Bool?, expected: String, hostOnly: Bool) throws {
        var jar = TestJar(try World.rules())
        #expect(jar.put(cookie(domain: domain) { $0.hostOnly = asked }) == nil)
        jar.store.forEach { stored in
            #expect(stored.identity.domain == bytes(expected))
            #expect(stored.identity.hostOnly == hostOnly)
        }
    }

    @Test(
        "Domains that are refused",
        arguments: [
            ("", CookieRejection.invalidDomain), (".", .invalidDomain), ("a b", .invalidDomain),
            ("example.com:80", .invalidDomain), ("*.example.com", nil), ("a.1", .invalidDomain),
            ("xn--zzz-.com", .invalidDomain), (".co.uk", .publicSuffix), (".com", .publicSuffix),
            (".localhost", .publicSuffix), ("http://example.com", .invalidDomain),
            (String(repeating: "a", count: 1025), .attributeTooLong),
        ])
    func refusedDomains(domain: String, expected: CookieRejection?) throws {
        #expect(try reason(cookie(domain: domain)) == expected)
    }

    @Test("The rules of a response hold")
    func sameRules() throws {
        #expect(try reason(cookie { $0.sameSite = .none }) == .sameSiteNoneInsecure)
        #expect(try reason(cookie("__Secure-a")) == .securePrefix)
        #expect(
            try reason(cookie("__Host-a", domain: ".example.com") { $0.secure = true })
                == .hostPrefix)
        #expect(try reason(cookie("__Host-a") { $0.secure = true }) == nil)
        #expect(try reason(cookie("__Http-a") { $0.secure = true }) == .httpPrefix)
        #expect(try reason(cookie("__Host-Http-a") { $0.httpOnly = true }) == .hostHttpPrefix)
        let key = bytes("https://www.top.example:443/x")
        #expect(try reason(cookie { $0.partitionKey = key }) == .partitionedInsecure)
        #expect(
            try reason(
                cookie {
                    $0.partitionKey = bytes("top.example")
                    $0.secure = true
                }) == .invalidPartitionKey)
        var jar = TestJar(try World.rules())
        #expect(
            jar.put(
                cookie {
                    $0.partitionKey = key
                    $0.secure = true
                }) == nil)
        jar.store.forEach { #expect($0.identity.partitionKey == bytes("https://top.example")) }
    }

    @Test("A past expiry is refused, a distant one is cut at 400 days")
    func expiry() throws {
        #expect(try reason(cookie { $0.expires = World.now }) == .alreadyExpired)
        #expect(
            try reason(cookie { $0.expires = Timestamp(milliseconds: .min) }) == .alreadyExpired)
        var jar = TestJar(try World.rules())
        jar.put(cookie { $0.expires = Timestamp(milliseconds: .max) })
        jar.store.forEach { #expect($0.expires == World.now.adding(seconds: 400 * 86_400)) }
    }
}
