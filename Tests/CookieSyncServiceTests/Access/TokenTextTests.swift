// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage
import Synchronization
import Testing

@testable import CookieSyncService

@Suite("A token's text")
struct TokenTextTests {
    private func parse(_ text: [UInt8]) -> (id: TokenID, secret: [UInt8])? {
        text.withUnsafeBufferPointer { buffer in
            TokenText.parse(buffer).map { ($0.id, Array($0.secret)) }
        }
    }

    @Test("has its prefix, id, secret and checksum, and is read again")
    func form() throws {
        let (id, secret) = (TokenText.randomID(), TokenText.randomSecret())
        let text = TokenText.compose(id, secret).bytes
        let parts = String(decoding: text, as: UTF8.self).split(separator: "_")
        #expect(parts.map(\.count) == [3, 6, 12, 43, 6])
        #expect(parts[0] == "csk" && parts[1] == "tenant")
        let read = try #require(parse(text))
        #expect(read.id == id && read.secret == secret.bytes)
    }

    @Test("with any character altered, left out or added is no token any more")
    func alterations() {
        let text = TokenText.compose(TokenText.randomID(), TokenText.randomSecret()).bytes
        for index in text.indices {
            var altered = text
            altered[index] =
                altered[index] == UInt8(ascii: "q") ? UInt8(ascii: "r") : UInt8(ascii: "q")
            #expect(parse(altered) == nil, "at \(index)")
            var shorter = text
            shorter.remove(at: index)
            #expect(parse(shorter) == nil)
            #expect(parse(Array(text[..<index])) == nil)
            var longer = text
            longer.insert(text[index], at: index)
            #expect(parse(longer) == nil)
        }
        #expect(parse(text + [0x30]) == nil)
        #expect(parse(String(decoding: text, as: UTF8.self).uppercased().utf8.map { $0 }) == nil)
    }

    @Test("with another prefix of that length is none, whatever its checksum")
    func foreignPrefix() {
        let (id, secret) = (TokenText.randomID(), TokenText.randomSecret())
        #expect(parse(TokenText.compose(id, secret, prefix: "csk_tenanx_").bytes) == nil)
        #expect(parse(TokenText.compose(id, secret, prefix: "csk_tenant_").bytes) != nil)
    }

    @Test("is never the same twice")
    func randomness() {
        #expect(Set((0..<500).map { _ in TokenText.randomID() }).count == 500)
        #expect(Set((0..<500).map { _ in TokenText.randomSecret() }).count == 500)
    }

    @Test("has the checksum that zlib computes")
    func checksum() {
        let check = Array("123456789".utf8).withUnsafeBufferPointer(CRC32.checksum)
        #expect(check == 0xCBF4_3926)
    }

    @Test("and what is kept of it cannot be printed")
    func redaction() throws {
        let secret = TokenText.randomSecret()
        let digest = TokenHasher(pepper: .random()).digest(of: secret)
        let pepper = CataloguePepper.random()
        let record = TokenRecord(
            id: TokenText.randomID(), tenant: try #require(TenantID("a".utf8)), name: [],
            scopes: .read,
            createdAt: .init(seconds: 0), expiresAt: .init(seconds: 1), digest: digest)
        for printed in ["\(secret)", "\(digest)", "\(pepper)", String(reflecting: record)] {
            #expect(printed.contains("<redacted>"))
        }
        var text = ""
        dump(record, to: &text)
        dump(pepper, to: &text)
        #expect(!text.contains(digest.bytes.map(String.init).joined(separator: "\n")))
        #expect(!text.contains("- \(digest.bytes[0])\n"))
    }
}

@Suite("Tokens are hashed with a pepper")
struct TokenHasherTests {
    @Test("one secret fits one digest under one pepper, again and again")
    func matching() throws {
        let (first, second) = (TokenText.randomSecret(), TokenText.randomSecret())
        let hasher = TokenHasher(pepper: .random())
        let entry = try entry(hasher.digest(of: first))
        for _ in 0..<3 {
            #expect(matches(hasher, entry, first))
            #expect(!matches(hasher, entry, second))
        }
        #expect(
            !matches(
                TokenHasher(pepper: .random()), try self.entry(hasher.digest(of: first)), first))
        #expect(try !matches(hasher, self.entry(TokenDigest([])), first))
    }

    @Test("an earlier secret fits until the overlap ends")
    func overlap() throws {
        let (old, new) = (TokenText.randomSecret(), TokenText.randomSecret())
        let hasher = TokenHasher(pepper: .random())
        let entry = try entry(
            hasher.digest(of: new),
            TokenRecord.Overlap(
                digest: hasher.digest(of: old), until: .init(milliseconds: 1000)))
        for _ in 0..<2 {
            #expect(matches(hasher, entry, old, now: 999))
            #expect(matches(hasher, entry, new, now: 999))
            #expect(!matches(hasher, entry, old, now: 1000))
            #expect(matches(hasher, entry, new, now: 1000))
        }
    }

    private func entry(_ digest: TokenDigest, _ overlap: TokenRecord.Overlap? = nil) throws
        -> TokenEntry
    {
        let id = TokenText.randomID()
        let record = TokenRecord(
            id: id, tenant: try #require(TenantID("a".utf8)), name: [], scopes: .read,
            createdAt: .init(seconds: 0), expiresAt: .init(seconds: 1), digest: digest,
            overlap: overlap)
        return try #require(CatalogueState(tenants: [], tokens: [(record, 0)]).token(id))
    }

    private func matches(
        _ hasher: TokenHasher, _ entry: TokenEntry, _ secret: SecretBytes, now: Int64 = 0
    ) -> Bool {
        secret.bytes.withUnsafeBufferPointer { hasher.matches(entry, $0, now: now) }
    }
}

@Suite("Limits")
struct LimitTests {
    @Test("ten wrong tokens a minute from one address, and the others are not concerned")
    func failedLogins() {
        let time = Atomic<Int64>(100)
        let failures = BurstCounter(limit: 10) { time.load(ordering: .relaxed) }
        for _ in 0..<10 { #expect(failures.note((1, 0)) == .within) }
        #expect(failures.note((1, 0)) == .begins)
        #expect(failures.note((1, 0)) == .goesOn)
        #expect(failures.note((2, 0)) == .within)
        time.store(159, ordering: .relaxed)
        #expect(failures.note((1, 0)) == .goesOn)
        time.store(160, ordering: .relaxed)
        #expect(failures.note((1, 0)) == .within)
    }

    @Test("a million addresses take no more memory than one")
    func manyAddresses() {
        let failures = BurstCounter(limit: 10) { 0 }
        for address in 0..<100_000 { _ = failures.note((UInt64(address), 7)) }
        for _ in 0..<10 { _ = failures.note((9, 9)) }
        #expect(failures.note((9, 9)) == .begins)
    }

    @Test("so many requests a second, and as many at once after a pause")
    func rate() {
        let state = Atomic<Int64>(0)
        func passed(_ count: Int, at second: Double) -> Int {
            let now = Int64(second * 1_000_000) + 5_000_000
            return (0..<count).count { _ in RateLimit.admits(rate: 10, state, now: now) }
        }
        #expect(passed(30, at: 0) == 10)
        #expect(passed(30, at: 0.1) == 1)
        #expect(passed(30, at: 0.6) == 5)
        #expect(passed(30, at: 10) == 10)
    }
}
