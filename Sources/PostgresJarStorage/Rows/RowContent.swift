// SPDX-License-Identifier: Apache-2.0

import CCrypto
import Cookies
import JarStorage

// What a cookie, a tombstone and a store's settings look like in their columns of type bytea. The first octet is the
// version of the form. A form is read for as long as a row may hold it.

/// A cookie's row or its change: everything there is to it, its identity included.
enum RowContent {
    private static let version: UInt8 = 1

    static func encode(_ cookie: Cookie) -> [UInt8] {
        var writer = OctetWriter()
        writer.put(version)
        put(cookie.identity, to: &writer)
        writer.put(cookie.value.bytes)
        writer.put(
            (cookie.secure ? 1 : 0) | (cookie.httpOnly ? 2 : 0) | (cookie.wasSession ? 4 : 0)
                | (cookie.expires == nil ? 0 : 8) | (cookie.legacy == nil ? 0 : UInt8(16)))
        writer.put(cookie.sameSite.rawValue)
        writer.put(cookie.source.rawValue)
        if let expires = cookie.expires { writer.put(expires.milliseconds) }
        writer.put(cookie.createdAt.milliseconds)
        writer.put(cookie.creationOrder)
        writer.put(cookie.updatedAt.milliseconds)
        writer.put(cookie.version)
        writer.put(cookie.lastAccess.milliseconds)
        if let legacy = cookie.legacy { put(legacy, to: &writer) }
        return writer.octets
    }

    static func cookie(_ octets: [UInt8]) throws(PostgresError) -> Cookie {
        var reader = try begin(octets)
        let identity = try identity(&reader)
        let value = CookieValue(try reader.bytes())
        let flags = try reader.octet()
        guard let sameSite = SameSite(rawValue: try reader.octet()),
            let source = CookieSource(rawValue: try reader.octet())
        else { throw .undecodable("a cookie") }
        let expires =
            flags & 8 == 0 ? nil : Timestamp(milliseconds: try reader.signedNumber())
        var cookie = Cookie(
            identity: identity, value: value, secure: flags & 1 != 0, httpOnly: flags & 2 != 0,
            sameSite: sameSite, expires: expires,
            createdAt: Timestamp(milliseconds: try reader.signedNumber()),
            creationOrder: try reader.number(),
            updatedAt: Timestamp(milliseconds: try reader.signedNumber()),
            version: try reader.number(),
            lastAccess: Timestamp(milliseconds: try reader.signedNumber()),
            wasSession: flags & 4 != 0, source: source)
        if flags & 16 != 0 { cookie.legacy = try legacy(&reader) }
        try end(reader)
        return cookie
    }

    static func encode(_ tombstone: Tombstone, of identity: CookieIdentity) -> [UInt8] {
        var writer = OctetWriter()
        writer.put(version)
        put(identity, to: &writer)
        writer.put(tombstone.revision.rawValue)
        writer.put(tombstone.at.milliseconds)
        writer.put(tombstone.cause.rawValue)
        writer.put(tombstone.travels ? UInt8(1) : 0)
        return writer.octets
    }

    static func tombstone(
        _ octets: [UInt8]
    ) throws(PostgresError) -> (identity: CookieIdentity, tombstone: Tombstone) {
        var reader = try begin(octets)
        let identity = try identity(&reader)
        let revision = Revision(rawValue: try reader.number())
        let at = Timestamp(milliseconds: try reader.signedNumber())
        guard let cause = ChangeCause(rawValue: try reader.octet()) else {
            throw .undecodable("a tombstone")
        }
        let travels = try reader.octet() != 0
        try end(reader)
        return (identity, Tombstone(revision: revision, at: at, cause: cause, travels: travels))
    }

    static func encode(_ settings: StoreSettings) -> [UInt8] {
        var writer = OctetWriter()
        writer.put(version)
        writer.put(settings.acceptPolicy.rawValue)
        writer.put(settings.matching.rawValue)
        if let lifetime = settings.sessionLifetimeSeconds { writer.put(lifetime) }
        return writer.octets
    }

    static func settings(_ octets: [UInt8]) throws(PostgresError) -> StoreSettings {
        var reader = try begin(octets)
        guard let policy = AcceptPolicy(rawValue: try reader.octet()),
            let matching = HostMatching(rawValue: try reader.octet())
        else { throw .undecodable("settings") }
        let lifetime = reader.isAtEnd ? nil : try reader.signedNumber()
        try end(reader)
        return StoreSettings(
            acceptPolicy: policy, matching: matching, sessionLifetimeSeconds: lifetime)
    }

    /// What tells a cookie's row from the others of its jar: a hash, as an identity may be longer than an index takes.
    static func key(_ identity: CookieIdentity, in store: StoreID) -> [UInt8] {
        var writer = OctetWriter()
        writer.put(store.bytes)
        put(identity, to: &writer)
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = EVP_Digest(
            writer.octets, writer.octets.count, &digest, nil, EVP_sha256(), nil)
        precondition(isDone == 1, "libcrypto has SHA-256")
        return digest
    }

    private static func put(_ identity: CookieIdentity, to writer: inout OctetWriter) {
        writer.put(identity.domain)
        writer.put(identity.name)
        writer.put(identity.path)
        writer.put((identity.hostOnly ? 1 : 0) | (identity.partitionKey == nil ? 0 : UInt8(2)))
        if let partitionKey = identity.partitionKey { writer.put(partitionKey) }
    }

    private static func identity(
        _ reader: inout OctetReader
    ) throws(PostgresError) -> CookieIdentity {
        let domain = try reader.bytes()
        let name = try reader.bytes()
        let path = try reader.bytes()
        let scope = try reader.octet()
        return CookieIdentity(
            name: name, domain: domain, hostOnly: scope & 1 != 0, path: path,
            partitionKey: scope & 2 == 0 ? nil : try reader.bytes())
    }

    /// An octet with a bit for each that is there, then those.
    private static func put(_ legacy: LegacyAttributes, to writer: inout OctetWriter) {
        let texts = [legacy.comment, legacy.commentURL, legacy.port]
        var presence: UInt8 = legacy.version == nil ? 0 : 1
        for (index, text) in texts.enumerated() where text != nil { presence |= 2 << index }
        writer.put(presence)
        if let version = legacy.version { writer.put(version) }
        for case let text? in texts { writer.put(text) }
    }

    private static func legacy(
        _ reader: inout OctetReader
    ) throws(PostgresError) -> LegacyAttributes {
        let presence = try reader.octet()
        let version = presence & 1 == 0 ? nil : try reader.octet()
        let comment = presence & 2 == 0 ? nil : try reader.bytes()
        let commentURL = presence & 4 == 0 ? nil : try reader.bytes()
        let port = presence & 8 == 0 ? nil : try reader.bytes()
        let legacy = LegacyAttributes(
            version: version, comment: comment, commentURL: commentURL, port: port)
        guard let legacy else { throw .undecodable("a cookie") }
        return legacy
    }

    private static func begin(_ octets: [UInt8]) throws(PostgresError) -> OctetReader {
        var reader = OctetReader(octets)
        guard try reader.octet() == version else { throw .undecodable("a row of another version") }
        return reader
    }

    private static func end(_ reader: OctetReader) throws(PostgresError) {
        guard reader.isAtEnd else { throw .undecodable("a row with more than it should have") }
    }
}
