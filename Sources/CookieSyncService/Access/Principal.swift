// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Who calls.
///
/// Handlers and use cases are told, and nothing else about a request's credentials; `Authenticator` is the one
/// place that makes a principal.
enum Principal: Sendable {
    /// Anyone who reaches the service: it has no admin token and listens on loopback only.
    case anyone
    /// The holder of the admin token: manages tenants and tokens, and sees no jar.
    case admin
    /// The holder of a tenant's token.
    case token(TokenEntry)

    /// The token's record, if it is a tenant's token.
    var record: TokenRecord? {
        if case .token(let entry) = self { entry.record } else { nil }
    }

    /// Whether the caller may see the values of cookies.
    var seesValues: Bool { record?.scopes.contains(.values) ?? true }

    /// Whether the caller may use a store of the jar that was named in the path.
    func mayUse(_ store: StoreID) -> Bool {
        guard let stores = record?.stores, !stores.isEmpty else { return true }
        return stores.contains(store)
    }

    /// Whether the caller may use a jar of the tenant that was named in the path.
    func mayUse(_ jar: JarID) -> Bool {
        guard let jars = record?.jars, !jars.isEmpty else { return true }
        return jars.contains(jar)
    }
}

extension CookieSyncService {
    /// Whether who was let in before would still be: what answers for longer than a moment asks at each step.
    ///
    /// - Complexity: O(1), without a heap allocation.
    func isStillValid(_ principal: Principal) -> Bool {
        guard let record = principal.record else { return true }
        return catalogue.state.holds(record, now: clock())
    }
}

extension CatalogueState {
    /// Whether a token that was valid with this record still is.
    func holds(_ record: TokenRecord, now: Timestamp) -> Bool {
        guard let current = token(record.id)?.record, now < current.expiresAt else { return false }
        // A token that was changed has another record; with the same digest, its holder is the same.
        if current.digest == record.digest { return true }
        return current.overlap.map { $0.digest == record.digest && now < $0.until } ?? false
    }
}
