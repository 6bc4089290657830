// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// What a caller may hand on to a token: no more than it has itself.
struct TokenGrant: Sendable {
    /// How many tokens a tenant can have.
    static let maximumTokens = 100
    /// For how long a token is valid when nothing is said: 90 days.
    static let standardLifetime = 7_776_000

    /// The caller's own token; nil for the admin token.
    let giver: TokenRecord?

    /// Whether the caller's own token is valid in the state that is changed: one that was revoked makes none in passing.
    func isHeld(in state: CatalogueState, now: Timestamp) -> Bool {
        giver.map { state.holds($0, now: now) } ?? true
    }

    /// Checks that a token of these rights would not be wider than the giver's own.
    ///
    /// - Throws: `forbidden`, naming what is too wide.
    func check(
        scopes: TokenScopes, jars: [JarID], stores: [StoreID], expiresAt: Timestamp
    ) throws(Problem) {
        guard let giver else { return }
        guard giver.scopes.isSuperset(of: scopes) else { throw Self.wider("scopes") }
        guard Self.isWithin(jars, giver.jars) else { throw Self.wider("jars") }
        guard Self.isWithin(stores, giver.stores) else { throw Self.wider("stores") }
        guard expiresAt <= giver.expiresAt else { throw Self.wider("expires_in_seconds") }
    }

    /// When a token ends: when it was asked to, else when that is usual, but not after the giver's own.
    func expiry(_ seconds: Int?, now: Timestamp) -> Timestamp {
        if let seconds { return now.adding(seconds: Int64(seconds)) }
        let usual = now.adding(seconds: Int64(Self.standardLifetime))
        return giver.map { min(usual, $0.expiresAt) } ?? usual
    }

    // An empty list means all.
    private static func isWithin<Name: Equatable>(_ names: [Name], _ own: [Name]) -> Bool {
        own.isEmpty || (!names.isEmpty && names.allSatisfy(own.contains))
    }

    private static func wider(_ what: String) -> Problem {
        Problem(.forbidden, "A token cannot be given more than your own has: `\(what)`.")
    }
}

/// Makes a token (`POST T/tokens`).
struct MintToken: Sendable {
    /// The token, its digest included.
    let record: TokenRecord
    /// Who asks.
    let grant: TokenGrant

    /// What became of it.
    enum Outcome: Sendable {
        case made
        /// There is no such tenant.
        case noTenant
        /// The tenant has as many as it can have.
        case tooMany
        /// Who asked may not any more.
        case notPermitted
    }

    /// Runs it.
    func run(
        on catalogue: any TenantCatalogue,
        completion: @escaping @Sendable (Result<Outcome, JarStorageError>) -> Void
    ) {
        catalogue.write(
            operation: { [record, grant] draft in
                guard grant.isHeld(in: draft.state, now: record.createdAt) else {
                    return .notPermitted
                }
                guard let tenant = draft.state.tenant(record.tenant)?.record,
                    !tenant.isBeingDeleted
                else { return .noTenant }
                guard draft.state.tokens(of: record.tenant).count < TokenGrant.maximumTokens else {
                    return .tooMany
                }
                draft.apply(.putToken(record))
                return .made
            }, completion: completion)
    }
}

/// Replaces a token's secret (`POST T/tokens/{id}/rotate`).
struct RotateToken: Sendable {
    /// Which token.
    let id: TokenID
    /// Whose it must be.
    let tenant: TenantID
    /// Who asks.
    let grant: TokenGrant
    /// The digest of the new secret.
    let digest: TokenDigest
    /// From when on the old one is not taken any more.
    let overlapUntil: Timestamp
    /// When the token ends.
    let expiresAt: Timestamp

    /// Runs it; completes with a problem where it was refused.
    func run(
        on catalogue: any TenantCatalogue, now: Timestamp,
        completion:
            @escaping @Sendable (Result<Result<TokenEntry, Problem>, JarStorageError>) ->
            Void
    ) {
        catalogue.write(
            operation: { draft in
                guard let entry = draft.state.token(id), entry.record.tenant == tenant else {
                    return .failure(.absent("token"))
                }
                var record = entry.record
                guard grant.isHeld(in: draft.state, now: now) else {
                    return .failure(.unauthenticated)
                }
                do throws(Problem) {
                    try grant.check(
                        scopes: record.scopes, jars: record.jars, stores: record.stores,
                        expiresAt: expiresAt)
                } catch {
                    return .failure(error)
                }
                record.overlap =
                    overlapUntil > now
                    ? TokenRecord.Overlap(digest: record.digest, until: overlapUntil) : nil
                record.digest = digest
                record.expiresAt = expiresAt
                draft.apply(.putToken(record))
                return draft.state.token(id).map { .success($0) } ?? .failure(.absent("token"))
            }, completion: completion)
    }
}

/// Revokes a token (`DELETE T/tokens/{id}`).
struct RevokeToken: Sendable {
    /// Which token.
    let id: TokenID
    /// Whose it must be.
    let tenant: TenantID
    /// Who asks.
    let grant: TokenGrant

    /// Runs it; completes with a problem where it was refused.
    func run(
        on catalogue: any TenantCatalogue, now: Timestamp,
        completion: @escaping @Sendable (Result<Result<Void, Problem>, JarStorageError>) -> Void
    ) {
        catalogue.write(
            operation: { draft in
                guard grant.isHeld(in: draft.state, now: now) else {
                    return .failure(.unauthenticated)
                }
                guard draft.state.token(id)?.record.tenant == tenant else {
                    return .failure(.absent("token"))
                }
                draft.apply(.removeToken(id, of: tenant))
                return .success(())
            }, completion: completion)
    }
}
