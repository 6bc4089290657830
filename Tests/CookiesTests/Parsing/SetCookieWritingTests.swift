// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cookies

@Suite("Set-Cookie lines and dates, written")
struct SetCookieWritingTests {
    private func cookie(
        _ name: String = "n", _ value: String = "v", domain: String = "a.example",
        hostOnly: Bool = true, path: String = "/", partitionKey: String? = nil,
        expires: Timestamp? = nil, secure: Bool = false, httpOnly: Bool = false,
        sameSite: SameSite = .unset
    ) -> Cookie {
        let time = Timestamp(seconds: 0)
        return Cookie(
            identity: CookieIdentity(
                name: Array(name.utf8), domain: Array(domain.utf8), hostOnly: hostOnly,
                path: Array(path.utf8), partitionKey: partitionKey.map { Array($0.utf8) }),
            value: CookieValue(Array(value.utf8)), secure: secure, httpOnly: httpOnly,
            sameSite: sameSite, expires: expires, createdAt: time, creationOrder: 1,
            updatedAt: time, version: 1, lastAccess: time, wasSession: false, source: .header)
    }

    private func line(_ cookie: Cookie) -> String? {
        cookie.setCookieLine().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("the pair comes first, Domain only where hosts below get the cookie too")
    func lines() {
        #expect(line(cookie()) == "n=v; Path=/")
        #expect(line(cookie("", "a=b")) == "=a=b; Path=/")
        #expect(line(cookie(hostOnly: false)) == "n=v; Path=/; Domain=a.example")
        #expect(
            line(
                cookie(
                    path: "/x", partitionKey: "https://a.example",
                    expires: Timestamp(milliseconds: 1_796_043_600_999), secure: true,
                    httpOnly: true, sameSite: .none))
                == "n=v; Path=/x; Expires=Mon, 30 Nov 2026 13:00:00 GMT; Secure; HttpOnly; SameSite=None; Partitioned"
        )
    }

    @Test("a path or a domain that would be cut or ignored has no line")
    func unwritable() {
        #expect(line(cookie(path: "/a;b")) == nil)
        #expect(line(cookie(domain: "a;b.example", hostOnly: false)) == nil)
        #expect(line(cookie(domain: "a;b.example")) == "n=v; Path=/")
        let long = String(repeating: "x", count: 1023)
        #expect(line(cookie(path: "/" + long)) != nil)
        #expect(line(cookie(path: "/" + long + "x")) == nil)
    }

    @Test("what is written parses as what it was")
    func roundTrip() throws {
        for sameSite in SameSite.allCases {
            let original = cookie(
                "x y", "1 = \"2\" \u{e9}", hostOnly: false, path: "/\u{e9}/,",
                expires: Timestamp(seconds: 1_796_043_600), secure: true, sameSite: sameSite)
            let parsed = try SetCookie(parsing: try #require(original.setCookieLine()))
            #expect(parsed.name == original.identity.name)
            #expect(parsed.value == original.value)
            #expect(parsed.path == original.identity.path)
            #expect(parsed.domain == original.identity.domain)
            #expect(parsed.expires == original.expires)
            #expect(parsed.sameSite == sameSite)
            #expect(parsed.secure && !parsed.httpOnly && !parsed.partitioned)
        }
    }

    @Test("a date that is written is read as the same second, over eight thousand years")
    func dates() {
        var seconds: Int64 = -11_644_473_600
        while seconds <= 253_402_300_799 {
            var text: [UInt8] = []
            CookieDate.append(Timestamp(seconds: seconds), to: &text)
            #expect(CookieDate.parse(text) == Timestamp(seconds: seconds))
            #expect(text.count == 29)
            seconds += 86_400 * 97 + 3_607
        }
    }

    @Test(
        "known dates",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.min, "Mon, 01 Jan 1601 00:00:00 GMT"),
        ] as [(Int64, String)])
    func knownDates(seconds: Int64, text: String) {
        var output: [UInt8] = []
        CookieDate.append(Timestamp(seconds: seconds), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }
}
