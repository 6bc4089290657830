// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Deletes the cookies of a store that a filter lets pass (design section 2.3).
struct DeleteCookies: Sendable {
    /// Which cookies; an empty filter means all.
    let filter: CookieFilter

    /// Deletes them in one transaction and answers how many there were.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Int>, ServiceError>) -> Void
    ) {
        let filter = filter
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft throws(ServiceError) in
                let filter = try filter.actual(by: draft.tenant.hosts)
                var identities: [CookieIdentity] = []
                draft.state[store].cookies.forEach { cookie in
                    if !cookie.isExpired(at: now), filter.includes(cookie) {
                        identities.append(cookie.identity)
                    }
                }
                return identities.reduce(0) { count, identity in
                    draft.delete(identity, in: store, now: now) ? count + 1 : count
                }
            }, completion: completion)
    }
}
