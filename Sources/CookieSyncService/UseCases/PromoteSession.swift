// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Makes the session cookies that a store holds now persistent (`POST S/promote`).
struct PromoteSession: Sendable {
    /// Which of them.
    let filter: CookieFilter
    /// For how many seconds.
    let lifetimeSeconds: Int64

    /// Promotes in one transaction and answers how many there were.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Int>, ServiceError>) -> Void
    ) {
        let (filter, seconds) = (filter, lifetimeSeconds)
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft throws(ServiceError) in
                let filter = try filter.actual(by: draft.tenant.hosts)
                return draft.promote(
                    in: store, forSeconds: seconds, rules: rules, now: now,
                    where: filter.includes)
            }, completion: completion)
    }
}
