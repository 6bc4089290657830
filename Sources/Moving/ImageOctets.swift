// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// An image as octets, the same for the same content whichever engine it comes from: to be hashed, never read.
///
/// Each field has a fixed length or says its own, so that no two contents have the same octets.
struct ImageOctets {
    private(set) var octets: [UInt8] = []

    mutating func put(_ image: JarImage) {
        put(image.state.revision.rawValue)
        put(image.state.createdAt)
        put(image.floor.rawValue)
        // One that is absent and has no tombstone is as one that nobody has written to.
        let stores = image.state.stores.filter {
            $0.value.isPresent || !$0.value.tombstones.isEmpty || !$0.value.cookies.isEmpty
        }
        put(UInt64(stores.count))
        for (name, store) in stores.sorted(by: { $0.key < $1.key }) {
            put(name.bytes)
            put(store)
        }
        put(UInt64(image.changes.count))
        for change in image.changes { put(change) }
    }

    mutating func put(_ image: RecordImage) {
        put(image.revision.rawValue)
        put(UInt64(image.records.count))
        for record in image.records {
            octets.append(record.kind.rawValue)
            put(record.name)
            put(record.body)
        }
    }

    /// When a token was used last is left out: it is written down now and then, and changes nothing.
    mutating func put(_ image: CatalogueImage) {
        put(UInt64(image.tenants.count))
        for tenant in image.tenants {
            put(tenant.tenant.bytes)
            put(tenant.createdAt)
            put(tenant.limits.bytes)
            put(tenant.limits.requestsPerSecond)
            put(tenant.isBeingDeleted)
        }
        put(UInt64(image.tokens.count))
        for token in image.tokens { put(token.record) }
    }

    mutating func put(_ bytes: [UInt8]) {
        put(UInt64(bytes.count))
        octets += bytes
    }

    private mutating func put(_ token: TokenRecord) {
        for text in [token.id.bytes, token.tenant.bytes, token.name] { put(text) }
        octets.append(token.scopes.rawValue)
        for names in [token.jars.map(\.bytes), token.stores.map(\.bytes)] {
            put(UInt64(names.count))
            for name in names { put(name) }
        }
        put(token.requestsPerSecond)
        put(token.createdAt)
        put(token.expiresAt)
        put(token.digest.bytes)
        put(token.overlap?.digest.bytes ?? [])
        put(token.overlap?.until)
    }

    private mutating func put(_ store: StoreState) {
        put(store.isPresent)
        put(store.settings)
        var cookies: [[UInt8]] = []
        store.cookies.forEach { cookie in
            var one = ImageOctets()
            one.put(cookie)
            cookies.append(one.octets)
        }
        let tombstones = store.tombstones.map { identity, tombstone in
            var one = ImageOctets()
            one.put(identity)
            one.put(tombstone)
            return one.octets
        }
        // Engines hand them out in orders of their own.
        for rows in [cookies, tombstones] {
            put(UInt64(rows.count))
            for row in rows.sorted(by: { $0.lexicographicallyPrecedes($1) }) { put(row) }
        }
    }

    private mutating func put(_ change: Change) {
        put(change.revision.rawValue)
        put(UInt64(bitPattern: change.at.milliseconds))
        put(change.store.bytes)
        octets.append(change.cause.rawValue)
        switch change.content {
        case .added(let cookie):
            octets.append(1)
            put(cookie)
        case .changed(let cookie):
            octets.append(2)
            put(cookie)
        case .removed(let identity, let tombstone, let isSilent):
            octets.append(3)
            put(identity)
            put(tombstone)
            put(isSilent)
        case .configured(let settings):
            octets.append(4)
            put(settings)
        case .storeDeleted: octets.append(5)
        }
    }

    private mutating func put(_ cookie: Cookie) {
        put(cookie.identity)
        put(cookie.value.bytes)
        for flag in [cookie.secure, cookie.httpOnly, cookie.wasSession] { put(flag) }
        octets += [cookie.sameSite.rawValue, cookie.source.rawValue]
        put(cookie.expires)
        for time in [cookie.createdAt, cookie.updatedAt, cookie.lastAccess] { put(time) }
        put(cookie.creationOrder)
        put(cookie.version)
        put(cookie.legacy != nil)
        guard let legacy = cookie.legacy else { return }
        put(UInt64(legacy.version.map { Int($0) + 1 } ?? 0))
        for text in [legacy.comment, legacy.commentURL, legacy.port] {
            put(text != nil)
            put(text ?? [])
        }
    }

    private mutating func put(_ identity: CookieIdentity) {
        for part in [identity.domain, identity.name, identity.path] { put(part) }
        put(identity.hostOnly)
        put(identity.partitionKey != nil)
        put(identity.partitionKey ?? [])
    }

    private mutating func put(_ tombstone: Tombstone) {
        put(tombstone.revision.rawValue)
        put(tombstone.at)
        octets.append(tombstone.cause.rawValue)
        put(tombstone.travels)
    }

    private mutating func put(_ settings: StoreSettings) {
        octets += [settings.acceptPolicy.rawValue, settings.matching.rawValue]
        put(settings.sessionLifetimeSeconds != nil)
        put(UInt64(bitPattern: settings.sessionLifetimeSeconds ?? 0))
    }

    private mutating func put(_ time: Timestamp?) {
        put(time != nil)
        put(UInt64(bitPattern: time?.milliseconds ?? 0))
    }

    private mutating func put(_ number: Int?) {
        put(number != nil)
        put(UInt64(bitPattern: Int64(number ?? 0)))
    }

    private mutating func put(_ flag: Bool) { octets.append(flag ? 1 : 0) }

    private mutating func put(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { octets.append(contentsOf: $0) }
    }
}
