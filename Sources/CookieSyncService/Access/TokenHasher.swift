// SPDX-License-Identifier: Apache-2.0

import CCrypto
import CookieSyncWire
import Cookies
import JarStorage

/// Hashes the secrets of tokens with the service's pepper, and checks them.
///
/// HMAC-SHA-256, which is quick, is right for secrets of 256 random bits. What has been checked once is remembered in the
/// token's entry as a hash of 128 bits under a key of this process, so that a request costs no HMAC: to be taken for a
/// token without having it means to guess 128 bits.
struct TokenHasher: Sendable {
    private let pepper: CataloguePepper
    private let keys = (SipHash.Key.random(), SipHash.Key.random())
    private static let length = 32

    init(pepper: CataloguePepper) { self.pepper = pepper }

    /// The digest of a secret.
    func digest(of secret: SecretBytes) -> TokenDigest {
        TokenDigest(secret.bytes.withUnsafeBufferPointer(hash))
    }

    /// Whether the secret is the token's own, or its earlier one while that is taken.
    ///
    /// Without a heap allocation once it was found to be.
    func matches(
        _ entry: TokenEntry, _ secret: UnsafeBufferPointer<UInt8>, now: Int64
    ) -> Bool {
        let record = entry.record
        let fingerprint = fingerprint(of: secret)
        if entry.verified.matches(fingerprint) { return true }
        let overlaps = record.overlap.map { now < $0.until.milliseconds } ?? false
        if overlaps, entry.verifiedOverlap.matches(fingerprint) { return true }
        let hash = hash(secret)
        if Self.areEqual(hash, record.digest.bytes) {
            entry.verified.note(fingerprint)
            return true
        }
        guard overlaps, let digest = record.overlap?.digest, Self.areEqual(hash, digest.bytes)
        else { return false }
        entry.verifiedOverlap.note(fingerprint)
        return true
    }

    /// The entry of a token that nobody has, to be checked in place of one that there is not.
    func nobody() -> TokenEntry? {
        guard let tenant = TenantID("nobody".utf8) else { return nil }
        let record = TokenRecord(
            id: TokenText.randomID(), tenant: tenant, name: [], scopes: [],
            createdAt: Timestamp(seconds: 0), expiresAt: Timestamp(seconds: 0),
            digest: digest(of: TokenText.randomSecret()))
        return CatalogueState(tenants: [], tokens: [(record, 0)]).token(record.id)
    }

    private func fingerprint(of secret: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
        (Self.hash(secret, keys.0), Self.hash(secret, keys.1))
    }

    /// The hash of the octets in words, the last one filled up with zeros, and then of their number.
    private static func hash(
        _ secret: UnsafeBufferPointer<UInt8>, _ key: SipHash.Key
    ) -> UInt64 {
        var hash = SipHash(key)
        let raw = UnsafeRawBufferPointer(secret)
        var start = 0
        while start &+ 8 <= raw.count {
            hash.combine(
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
            start &+= 8
        }
        if start < raw.count {
            var word: UInt64 = 0
            for index in (start..<raw.count).reversed() { word = word << 8 | UInt64(raw[index]) }
            hash.combine(word)
        }
        hash.combine(UInt64(secret.count))
        return hash.finish()
    }

    private func hash(_ secret: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.length) { output, count in
            var written: UInt32 = 0
            let isDone =
                HMAC(
                    EVP_sha256(), pepper.bytes, Int32(pepper.bytes.count), secret.baseAddress,
                    secret.count, output.baseAddress, &written) != nil
            // A hash that could not be made equals none: `areEqual` refuses another length.
            count = isDone ? Int(written) : 0
        }
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == length, right.count == length else { return false }
        return CRYPTO_memcmp(left, right, length) == 0
    }
}
