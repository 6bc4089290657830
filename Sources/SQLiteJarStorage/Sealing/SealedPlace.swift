// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Where something sealed belongs: the octets that are authenticated with it, so that it opens nowhere else.
///
/// Each part has its length before it, so that no two places have the same octets. All that a row says of a cookie is
/// part of its place, but the time of its last use, which is written by itself: a column that was changed is noticed
/// like a changed value.
struct SealedPlace {
    private(set) var octets: [UInt8] = []

    /// What is sealed there; one kind is never read as another.
    private enum Kind: UInt8 {
        case cookie = 1
        case answer = 2
    }

    private static let version: UInt8 = 1

    /// Begins anew, for something of that tenant.
    mutating func start(_ tenant: [UInt8]) {
        octets.removeAll(keepingCapacity: true)
        octets.append(Self.version)
        append(tenant)
    }

    /// The row of a cookie.
    mutating func append(_ cookie: Cookie, attributes: Int64, jar: JarID, store: StoreID) {
        octets.append(Kind.cookie.rawValue)
        append(jar.bytes)
        append(store.bytes)
        append(cookie.identity.domain)
        append(cookie.identity.name)
        append(cookie.identity.path)
        octets.append(
            (cookie.identity.hostOnly ? 1 : 0) | (cookie.identity.partitionKey == nil ? 0 : 2)
                | (cookie.expires == nil ? 0 : 4))
        append(cookie.identity.partitionKey ?? [])
        append(cookie.expires?.milliseconds ?? 0)
        append(attributes)
        append(cookie.createdAt.milliseconds)
        append(Int64(bitPattern: cookie.creationOrder))
        append(cookie.updatedAt.milliseconds)
        append(Int64(bitPattern: cookie.version))
        append(cookie.legacy.map(StoredLegacyAttributes.encode) ?? [])
    }

    /// The answer that is kept for a key.
    mutating func append(answerTo key: [UInt8], _ fingerprint: [UInt8], _ expires: Timestamp) {
        octets.append(Kind.answer.rawValue)
        append(key)
        append(fingerprint)
        append(expires.milliseconds)
    }

    private mutating func append(_ bytes: [UInt8]) {
        append(Int64(bytes.count))
        octets += bytes
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { octets.append(contentsOf: $0) }
    }
}

/// The sealing of one jar's values, as the columns of its rows need it.
struct JarSealing {
    let sealing: TenantSealing
    let jar: JarID

    /// Whether the tenant's values are sealed, so that what cannot be read is that one value's fault.
    var isOn: Bool { sealing.active != nil }

    /// What goes into the column of the value, and whether it is sealed.
    func stored(
        _ cookie: Cookie, attributes: Int64, store: StoreID
    ) throws(SQLiteError) -> (octets: [UInt8], isSealed: Bool) {
        let sealed = try sealing.seal(cookie.value.bytes) {
            $0.append(cookie, attributes: attributes, jar: jar, store: store)
        }
        return (sealed ?? cookie.value.bytes, sealed != nil)
    }

    /// The value of a cookie that is complete but for it.
    func value(
        _ octets: [UInt8], isSealed: Bool, of cookie: Cookie, attributes: Int64, store: StoreID
    ) throws(SQLiteError) -> CookieValue {
        guard isSealed else {
            try sealing.admitPlain()
            return CookieValue(octets)
        }
        return CookieValue(
            try sealing.open(octets) {
                $0.append(cookie, attributes: attributes, jar: jar, store: store)
            })
    }
}
