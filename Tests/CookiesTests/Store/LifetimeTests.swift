// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Lifetimes (section 5.5)")
struct LifetimeTests {
    /// The expiry in seconds after `now` that a line gives; nil for a session cookie.
    private func lifetime(_ attributes: String, serverDate: Int64? = nil) throws -> Int64? {
        let context = ResponseContext(
            url: try World.url("https://example.com/"),
            serverDate: serverDate.map { World.now.adding(seconds: $0) })
        let line = try SetCookie(parsing: Array("a=b; \(attributes)".utf8))
        let decision = CookieStore().decide(
            line, from: context, rules: try World.rules(), now: World.now, order: 1)
        guard case .store(let cookie, isReplacing: false) = decision else { return -1 }
        return cookie.expires.map { $0.seconds - World.now.seconds }
    }

    private static let cap: Int64 = 400 * 86_400

    @Test(
        "Max-Age and Expires",
        arguments: [
            ("", nil), ("Max-Age=60", 60), ("Max-Age=+5", nil), ("Max-Age=0", -1),
            ("Max-Age=-5", -1), ("Max-Age=99999999999999999999", cap),
            ("Max-Age=9223372036854775807", cap), ("Max-Age=34560000", cap),
            ("Max-Age=34560001", cap), ("Max-Age=34559999", cap - 1),
            ("Max-Age=60; Expires=1 Jan 1970 00:00:00", 60),
            ("Expires=1 Jan 2027 00:00:00; Max-Age=0", -1),
            ("Expires=30 Nov 2026 12:00:10", 10), ("Expires=30 Nov 2026 12:00:00", -1),
            ("Expires=31 Dec 9999 23:59:59", cap), ("Expires=1 Jan 1601 00:00:00", -1),
            ("Expires=never", nil),
        ] as [(String, Int64?)])
    func lifetimes(attributes: String, expected: Int64?) throws {
        #expect(try lifetime(attributes) == expected)
    }

    @Test(
        "Expires is moved by the difference of the clocks, up to 24 hours",
        arguments: [
            (0, 3600), (-600, 4200), (600, 3000), (3600, -1), (86_400, -1), (86_401, 3600),
            (-86_400, 90_000), (-86_401, 3600), (-200_000_000, 3600),
        ] as [(Int64, Int64)])
    func skew(serverDate: Int64, expected: Int64) throws {
        let attributes = "Expires=30 Nov 2026 13:00:00"
        #expect(try lifetime(attributes, serverDate: serverDate) == expected)
    }

    @Test("Max-Age is not moved, and extreme dates do not overflow")
    func noSkew() throws {
        #expect(try lifetime("Max-Age=60", serverDate: -600) == 60)
        let context = ResponseContext(
            url: try World.url("https://example.com/"),
            serverDate: Timestamp(milliseconds: .min))
        let line = try SetCookie(parsing: Array("a=b; Expires=31 Dec 9999 23:59:59".utf8))
        for now in [Timestamp(milliseconds: .max), Timestamp(milliseconds: .min), World.now] {
            _ = CookieStore().decide(
                line, from: context, rules: try World.rules(), now: now, order: 1)
        }
    }
}
