// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Makes a tenant, or changes what it may take (`PUT T`).
struct PutTenant: Sendable {
    /// The tenant.
    let tenant: TenantID
    /// Changes its limits.
    let change: @Sendable (inout TenantLimits) -> Void

    /// What became of it.
    enum Outcome: Sendable {
        case done(CatalogueTenant, isNew: Bool)
        /// Its data are still being deleted.
        case isBeingDeleted
    }

    /// Runs it.
    func run(
        on catalogue: any TenantCatalogue, now: Timestamp,
        completion: @escaping @Sendable (Result<Outcome, JarStorageError>) -> Void
    ) {
        catalogue.write(
            operation: { draft in
                let known = draft.state.tenant(tenant)?.record
                if known?.isBeingDeleted == true { return .isBeingDeleted }
                var record = known ?? CatalogueTenant(tenant: tenant, createdAt: now)
                change(&record.limits)
                if record != known { draft.apply(.putTenant(record)) }
                return .done(record, isNew: known == nil)
            }, completion: completion)
    }
}

/// Deletes a tenant: first its tokens, then its data, then its name (`DELETE T`).
///
/// In between it is marked, so that a deletion that was cut short is finished at the next start.
struct DeleteTenant: Sendable {
    /// The tenant.
    let tenant: TenantID

    /// Runs it.
    func run(
        on catalogue: any TenantCatalogue, _ storage: any JarStorage, now: Timestamp,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        catalogue.write(
            operation: { [tenant] draft in
                draft.removeTokens(of: tenant)
                var record =
                    draft.state.tenant(tenant)?.record
                    ?? CatalogueTenant(tenant: tenant, createdAt: now)
                guard !record.isBeingDeleted else { return }
                record.isBeingDeleted = true
                draft.apply(.putTenant(record))
            },
            completion: { result in
                if case .failure(let error) = result { return completion(.failure(error)) }
                finish(on: catalogue, storage, completion: completion)
            })
    }

    /// Deletes the data of a tenant that is marked, and forgets it.
    func finish(
        on catalogue: any TenantCatalogue, _ storage: any JarStorage,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        storage.deleteTenant(tenant) { [tenant] result in
            if case .failure(let error) = result { return completion(.failure(error)) }
            catalogue.write(
                operation: { draft in
                    guard draft.state.tenant(tenant)?.record.isBeingDeleted == true else { return }
                    draft.apply(.removeTenant(tenant))
                }, completion: completion)
        }
    }
}
