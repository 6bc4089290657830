// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("What stands in a row")
struct RowContentTests {
    private static let identity = CookieIdentity(
        name: [0x00, 0xFF], domain: Array("www.example.com".utf8), hostOnly: true, path: [0x2F],
        partitionKey: Array("https://top.example".utf8))

    private static let legacy = LegacyAttributes(
        version: 1, comment: [0, 0xFF], port: Array("80,81".utf8))

    private static func cookie(_ expires: Timestamp?) -> Cookie {
        Cookie(
            identity: identity, value: CookieValue([0, 1, 0xFE, 0xFF]), secure: true,
            httpOnly: false, sameSite: .lax, expires: expires,
            createdAt: Timestamp(milliseconds: -1), creationOrder: .max,
            updatedAt: Timestamp(milliseconds: .max), version: 1 << 63,
            lastAccess: Timestamp(milliseconds: .min), wasSession: true, source: .imported,
            legacy: expires == nil ? nil : legacy)
    }

    @Test("a cookie comes back as it was, whatever its octets and numbers")
    func cookies() throws {
        for expires in [nil, Timestamp(milliseconds: .min), Timestamp(milliseconds: 0)] {
            let cookie = Self.cookie(expires)
            #expect(try RowContent.cookie(RowContent.encode(cookie)) == cookie)
        }
    }

    @Test("a tombstone and settings come back as they were")
    func others() throws {
        let tombstone = Tombstone(
            revision: Revision(rawValue: .max), at: Timestamp(milliseconds: -5), cause: .rewritten,
            travels: true)
        let found = try RowContent.tombstone(RowContent.encode(tombstone, of: Self.identity))
        #expect(found.identity == Self.identity)
        #expect(found.tombstone == tombstone)
        for lifetime in [nil, 0, -1, Int64.max] {
            let settings = StoreSettings(
                acceptPolicy: .onlyFromMainDocument, matching: .hostContains,
                sessionLifetimeSeconds: lifetime)
            #expect(try RowContent.settings(RowContent.encode(settings)) == settings)
        }
    }

    @Test("what is cut off anywhere, goes on, or is of another version is not read")
    func damage() throws {
        let whole = RowContent.encode(Self.cookie(Timestamp(milliseconds: 7)))
        for count in 0..<whole.count {
            #expect(throws: PostgresError.self) {
                try RowContent.cookie(Array(whole.prefix(count)))
            }
        }
        #expect(throws: PostgresError.self) { try RowContent.cookie(whole + [0]) }
        #expect(throws: PostgresError.self) { try RowContent.cookie([2] + whole.dropFirst()) }
    }

    @Test("identities that differ anywhere have different keys, long ones too")
    func keys() {
        let long = [UInt8](repeating: 0x61, count: 4096)
        let identities = [
            Self.identity,
            CookieIdentity(name: [], domain: [0x61], hostOnly: true, path: [0x2F]),
            CookieIdentity(name: [0x61], domain: [], hostOnly: true, path: [0x2F]),
            CookieIdentity(name: [0x61], domain: [], hostOnly: false, path: [0x2F]),
            CookieIdentity(
                name: [0x61], domain: [], hostOnly: false, path: [0x2F], partitionKey: []),
            CookieIdentity(name: long, domain: [], hostOnly: false, path: long),
            CookieIdentity(name: long + [0x61], domain: [], hostOnly: false, path: long),
        ]
        let stores = [StorageWorld.store("a"), StorageWorld.store("ab")]
        let keys = stores.flatMap { store in identities.map { RowContent.key($0, in: store) } }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.count == 32 })
    }
}
