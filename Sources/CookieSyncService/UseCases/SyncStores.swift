// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Brings two stores of a jar in step (design section 2.4).
struct SyncStores: Sendable {
    /// Which stores and how; `from` and `to` differ.
    let request: SyncRequest
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Syncs in one transaction.
    ///
    /// Completes with `notFound` for a mirror of a store that does not exist, which would wipe the
    /// other end by accident.
    func run(
        in address: JarAddress, storage: any JarStorage, rules: CookieRules, now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<SyncReport>, ServiceError>) -> Void
    ) {
        let request = request
        changeJar(
            address, in: storage, rules: rules, now: now, isDryRun: isDryRun,
            operation: { draft throws(ServiceError) in
                guard request.mode != .mirror || draft.state[request.from].isPresent else {
                    throw .notFound("store to mirror")
                }
                var request = request
                request.filter = try draft.tenant.hosts.actual(request.filter)
                return draft.sync(request, rules: rules, now: now)
            }, completion: completion)
    }
}
