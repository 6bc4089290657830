// SPDX-License-Identifier: Apache-2.0

/// The name of a tenant, the unit of isolation.
public struct TenantID: Identifier {
    /// The name's octets.
    public let bytes: [UInt8]

    /// The tenant with this name, or nil when the name breaks the rule.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard Self.isName(bytes) else { return nil }
        self.bytes = Array(bytes)
    }

    /// Whether these octets keep the rule.
    ///
    /// - Complexity: O(n) in the octets, at most 63 of them; no heap allocation.
    public static func isName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, IdentifierOctets.isLowercaseAlphanumeric(first) else {
            return false
        }
        return bytes.count <= limit && bytes.allSatisfy(IdentifierOctets.isTenantOctet)
    }

    private static let limit = 63

    /// What every tenant's name keeps to.
    public static var rule: String {
        "A tenant's name is 1 to 63 octets of a-z, 0-9, '.', '_' and '-', "
            + "and starts with a letter or digit."
    }
}

/// The name of a jar, one login identity.
public struct JarID: Identifier {
    /// The name's octets.
    public let bytes: [UInt8]

    /// The jar with this name, or nil when the name breaks the rule.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard IdentifierOctets.isName(bytes, limit: 128) else { return nil }
        self.bytes = Array(bytes)
    }

    /// What every jar's name keeps to.
    public static var rule: String {
        "A jar's name is 1 to 128 octets of A-Z, a-z, 0-9 and '._~@:+-', and is not '.' or '..'."
    }
}

/// The name of a store, one layer's view of a jar.
public struct StoreID: Identifier {
    /// The name's octets.
    public let bytes: [UInt8]

    /// The store with this name, or nil when the name breaks the rule.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard IdentifierOctets.isName(bytes, limit: 64) else { return nil }
        self.bytes = Array(bytes)
    }

    /// What every store's name keeps to.
    public static var rule: String {
        "A store's name is 1 to 64 octets of A-Z, a-z, 0-9 and '._~@:+-', and is not '.' or '..'."
    }
}

/// The name of a backup: a folder's, never a path.
public struct BackupName: Identifier {
    /// The name's octets.
    public let bytes: [UInt8]

    /// The backup with this name, or nil when the name breaks the rule.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let tenant = TenantID(bytes) else { return nil }
        self.bytes = tenant.bytes
    }

    /// What every backup's name keeps to.
    public static var rule: String {
        "A backup's name is 1 to 63 octets of a-z, 0-9, '.', '_' and '-', "
            + "and starts with a letter or digit."
    }
}

/// Where a jar is.
public struct JarAddress: Hashable, Comparable, Sendable {
    /// The tenant it belongs to.
    public let tenant: TenantID
    /// Its name in that tenant.
    public let jar: JarID

    /// The address of a jar.
    public init(tenant: TenantID, jar: JarID) {
        self.tenant = tenant
        self.jar = jar
    }

    /// Orders by tenant, then by jar.
    public static func < (left: JarAddress, right: JarAddress) -> Bool {
        left.tenant == right.tenant ? left.jar < right.jar : left.tenant < right.tenant
    }
}
