// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("What a sealed value is bound to")
struct SealedPlaceTests {
    /// Everything that tells the place of a cookie's value.
    private struct Place {
        var tenant = "acme"
        var jar = "alice"
        var store = "native"
        var name = "sid"
        var domain = "a.example"
        var hostOnly = true
        var path = "/"
        var partition: String?
        var expires: Int64?
        var attributes: Int64 = 0
        var createdAt: Int64 = 1
        var creationOrder: UInt64 = 2
        var updatedAt: Int64 = 3
        var version: UInt64 = 4

        func octets() throws -> [UInt8] {
            let cookie = Cookie(
                identity: CookieIdentity(
                    name: Array(name.utf8), domain: Array(domain.utf8), hostOnly: hostOnly,
                    path: Array(path.utf8), partitionKey: partition.map { Array($0.utf8) }),
                value: CookieValue(Array("v".utf8)), secure: false, httpOnly: false,
                sameSite: .lax, expires: expires.map { Timestamp(milliseconds: $0) },
                createdAt: Timestamp(milliseconds: createdAt), creationOrder: creationOrder,
                updatedAt: Timestamp(milliseconds: updatedAt), version: version,
                lastAccess: Timestamp(milliseconds: 0), wasSession: false, source: .header)
            var place = SealedPlace()
            place.start(Array(tenant.utf8))
            place.append(
                cookie, attributes: attributes, jar: try #require(JarID(jar.utf8)),
                store: try #require(StoreID(store.utf8)))
            return place.octets
        }
    }

    private static let changes: [(String, @Sendable (inout Place) -> Void)] = [
        ("tenant", { $0.tenant = "acm" }), ("jar", { $0.jar = "bob" }),
        ("store", { $0.store = "webview" }), ("name", { $0.name = "sie" }),
        ("domain", { $0.domain = "b.example" }), ("host-only", { $0.hostOnly = false }),
        ("path", { $0.path = "/a" }), ("partition", { $0.partition = "https://a.example" }),
        ("an empty partition", { $0.partition = "" }), ("expiry", { $0.expires = 5 }),
        ("an expiry of zero", { $0.expires = 0 }), ("attributes", { $0.attributes = 1 }),
        ("creation", { $0.createdAt = 9 }), ("order", { $0.creationOrder = 9 }),
        ("update", { $0.updatedAt = 9 }), ("version", { $0.version = 9 }),
        (
            "what moves from one to the next",
            {
                $0.tenant = "acm"
                $0.jar = "ealice"
            }
        ),
        (
            "a name and a path",
            {
                $0.name = "si"
                $0.path = "d/"
            }
        ),
    ]

    @Test("each thing that tells a cookie's place gives other octets, and nothing gives the same")
    func cookies() throws {
        var seen: [[UInt8]] = [try Place().octets()]
        #expect(try Place().octets() == seen[0])
        for (what, change) in Self.changes {
            var place = Place()
            change(&place)
            let octets = try place.octets()
            #expect(!seen.contains(octets), "\(what)")
            seen.append(octets)
        }
    }

    @Test("a kept answer is bound to its key, its request and its time, and is no cookie")
    func answers() throws {
        func octets(_ tenant: String, _ key: String, _ fingerprint: String, _ expires: Int64)
            -> [UInt8]
        {
            var place = SealedPlace()
            place.start(Array(tenant.utf8))
            place.append(
                answerTo: Array(key.utf8), Array(fingerprint.utf8),
                Timestamp(milliseconds: expires))
            return place.octets
        }
        let places = [
            octets("acme", "key", "print", 1), octets("acm", "key", "print", 1),
            octets("acme", "kez", "print", 1), octets("acme", "key", "prinu", 1),
            octets("acme", "key", "print", 2), octets("acme", "keyp", "rint", 1),
            try Place().octets(),
        ]
        #expect(Set(places).count == places.count)
    }
}
