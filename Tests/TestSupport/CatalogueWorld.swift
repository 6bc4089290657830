// SPDX-License-Identifier: Apache-2.0

import Cookies
public import JarStorage

/// Records for tests of the catalogue.
public enum CatalogueWorld {
    /// A tenant by its name, which must be a valid one.
    public static func tenant(_ name: String, bytes: Int? = nil) -> CatalogueTenant {
        CatalogueTenant(
            tenant: id(of: name), createdAt: Timestamp(milliseconds: 1_001),
            limits: TenantLimits(bytes: bytes, requestsPerSecond: 7))
    }

    /// A token, with everything that a token can have, by the first character of its id.
    public static func token(_ id: String, of tenant: String) -> TokenRecord {
        guard let token = TokenID(Array("\(id)00000000000".utf8)), let first = JarID("a:b@c".utf8),
            let second = JarID("d+e".utf8), let store = StoreID("native".utf8)
        else { preconditionFailure("invalid token") }
        return TokenRecord(
            id: token, tenant: self.id(of: tenant), name: Array("wörker".utf8),
            scopes: [.read, .feed], jars: [first, second], stores: [store], requestsPerSecond: 9,
            createdAt: Timestamp(milliseconds: 5), expiresAt: Timestamp(milliseconds: 6_000),
            digest: TokenDigest(Array(repeating: 0, count: 32)),
            overlap: TokenRecord.Overlap(
                digest: TokenDigest(Array(repeating: 255, count: 32)),
                until: Timestamp(milliseconds: 77)))
    }

    /// A token with as little as a token can have.
    public static func plainToken(_ id: String, of tenant: String) -> TokenRecord {
        let full = token(id, of: tenant)
        return TokenRecord(
            id: full.id, tenant: full.tenant, name: Array("n".utf8), scopes: .write,
            createdAt: full.createdAt, expiresAt: full.expiresAt, digest: full.digest)
    }

    private static func id(of name: String) -> TenantID {
        guard let tenant = TenantID(name.utf8) else { preconditionFailure("invalid tenant") }
        return tenant
    }
}
