// SPDX-License-Identifier: Apache-2.0

extension CookieGroup {
    /// A cookie of a group but for its octets: its path, its name, `=` if there is a name, its value
    /// and its partition key lie one after the other in the group's run, from `start` on.
    ///
    /// A nameless cookie is its value alone (section 5.8.3 step 4).
    struct Entry: Sendable {
        private let firstOctet: UInt32
        private let pathOctets: UInt32
        private let nameOctets: UInt32
        private let valueOctets: UInt32
        private let keyOctets: UInt32
        private let flags: Flags
        let sameSite: SameSite
        private let source: CookieSource
        private let ending: Timestamp
        let createdAt: Timestamp
        let creationOrder: UInt64
        private let updatedAt: Timestamp
        private let version: UInt64
        /// The last access as it was when the group was made.
        let lastAccess: Timestamp

        private struct Flags: OptionSet {
            let rawValue: UInt8
            static let hostOnly = Flags(rawValue: 1)
            static let secure = Flags(rawValue: 2)
            static let httpOnly = Flags(rawValue: 4)
            static let wasSession = Flags(rawValue: 8)
            static let isPartitioned = Flags(rawValue: 16)
            static let isPersistent = Flags(rawValue: 32)
        }
    }
}

// What a fetch looks at.
extension CookieGroup.Entry {
    var hostOnly: Bool { flags.contains(.hostOnly) }
    var secure: Bool { flags.contains(.secure) }
    var httpOnly: Bool { flags.contains(.httpOnly) }
    var isPartitioned: Bool { flags.contains(.isPartitioned) }
    var expires: Timestamp? { flags.contains(.isPersistent) ? ending : nil }

    func isExpired(at now: Timestamp) -> Bool {
        flags.contains(.isPersistent) && ending <= now
    }

    var pathCount: Int { Int(pathOctets) }
    /// Where the octets begin, the path first.
    var start: Int { Int(firstOctet) }
    var path: Range<Int> { Self.range(start, pathOctets) }
    var name: Range<Int> { Self.range(path.upperBound, nameOctets) }
    var value: Range<Int> {
        Self.range(name.upperBound &+ (nameOctets == 0 ? 0 : 1), valueOctets)
    }
    /// What a header says: `name=value`.
    var pair: Range<Int> { Range(uncheckedBounds: (path.upperBound, value.upperBound)) }
    var partitionKey: Range<Int> { Self.range(value.upperBound, keyOctets) }
    /// Where the octets end.
    var end: Int { partitionKey.upperBound }

    /// Sums of a few 32-bit numbers, which cannot overflow 64 bits.
    private static func range(_ start: Int, _ count: UInt32) -> Range<Int> {
        Range(uncheckedBounds: (start, start &+ Int(count)))
    }

    /// Whether it is that cookie, of those of the group's domain.
    func identifies(_ identity: CookieIdentity, in octets: UnsafeBufferPointer<UInt8>) -> Bool {
        guard pathCount == identity.path.count, Int(nameOctets) == identity.name.count,
            hostOnly == identity.hostOnly, isPartitioned == (identity.partitionKey != nil)
        else { return false }
        return octets.piece(name).isSame(as: identity.name)
            && octets.piece(path).isSame(as: identity.path)
            && octets.piece(partitionKey).isSame(as: identity.partitionKey ?? [])
    }
}

// From a cookie and back.
extension CookieGroup.Entry {
    private static let root: [UInt8] = [ASCII.slash]

    /// How many octets it adds to a group's run.
    static func octets(of cookie: Cookie) -> Int {
        let identity = cookie.identity
        return identity.path.count + identity.name.count + 1 + cookie.value.bytes.count
            + (identity.partitionKey?.count ?? 0)
    }

    /// Appends the cookie's octets and notes where they are.
    ///
    /// A group stays far below 4 GiB: its store is limited to some thousand cookies of some
    /// kilobytes.
    init(_ cookie: Cookie, octets: inout [UInt8]) {
        let identity = cookie.identity
        firstOctet = UInt32(octets.count)
        pathOctets = UInt32(identity.path.count)
        nameOctets = UInt32(identity.name.count)
        valueOctets = UInt32(cookie.value.bytes.count)
        keyOctets = UInt32(identity.partitionKey?.count ?? 0)
        octets += identity.path
        if !identity.name.isEmpty {
            octets += identity.name
            octets.append(ASCII.equals)
        }
        octets += cookie.value.bytes
        if let key = identity.partitionKey { octets += key }
        var flags = Flags()
        if identity.hostOnly { flags.insert(.hostOnly) }
        if cookie.secure { flags.insert(.secure) }
        if cookie.httpOnly { flags.insert(.httpOnly) }
        if cookie.wasSession { flags.insert(.wasSession) }
        if identity.partitionKey != nil { flags.insert(.isPartitioned) }
        if cookie.expires != nil { flags.insert(.isPersistent) }
        self.flags = flags
        sameSite = cookie.sameSite
        source = cookie.source
        ending = cookie.expires ?? Timestamp(milliseconds: 0)
        createdAt = cookie.createdAt
        creationOrder = cookie.creationOrder
        updatedAt = cookie.updatedAt
        version = cookie.version
        lastAccess = cookie.lastAccess
    }

    /// Whether it has the content of a cookie of its identity, but for what files said beside.
    func hasContent(of cookie: Cookie, in octets: UnsafeBufferPointer<UInt8>) -> Bool {
        secure == cookie.secure && httpOnly == cookie.httpOnly && sameSite == cookie.sameSite
            && expires == cookie.expires
            && flags.contains(.wasSession) == cookie.wasSession
            && octets.piece(value).isSame(as: cookie.value.bytes)
    }

    /// The same cookie with its octets elsewhere, and used since.
    func moved(to start: Int, lastAccess: Timestamp) -> Self {
        Self(
            firstOctet: UInt32(start), pathOctets: pathOctets, nameOctets: nameOctets,
            valueOctets: valueOctets, keyOctets: keyOctets, flags: flags, sameSite: sameSite,
            source: source, ending: ending, createdAt: createdAt, creationOrder: creationOrder,
            updatedAt: updatedAt, version: version, lastAccess: lastAccess)
    }

    /// Which cookie it is.
    func identity(
        of domain: [UInt8], in octets: UnsafeBufferPointer<UInt8>
    ) -> CookieIdentity {
        let path = octets.piece(path)
        return CookieIdentity(
            name: Array(octets.piece(name)), domain: domain, hostOnly: hostOnly,
            path: path.isSame(as: Self.root) ? Self.root : Array(path),
            partitionKey: isPartitioned ? Array(octets.piece(partitionKey)) : nil)
    }

    /// The cookie.
    func cookie(
        of domain: [UInt8], in octets: UnsafeBufferPointer<UInt8>, lastAccess: Timestamp,
        legacy: LegacyAttributes?
    ) -> Cookie {
        Cookie(
            identity: identity(of: domain, in: octets),
            value: CookieValue(Array(octets.piece(value))), secure: secure, httpOnly: httpOnly,
            sameSite: sameSite, expires: expires, createdAt: createdAt,
            creationOrder: creationOrder, updatedAt: updatedAt, version: version,
            lastAccess: lastAccess, wasSession: flags.contains(.wasSession), source: source,
            legacy: legacy)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A part of the octets, in place.
    func piece(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: self[range])
    }
}
