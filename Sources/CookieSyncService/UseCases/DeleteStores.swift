// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Deletes a store, or every store of a jar, with the cookies in it (design section 2.9).
struct DeleteStores: Sendable {
    /// The store; nil means every one.
    let store: StoreID?

    /// Deletes in one transaction and answers how many cookies there were.
    func run(
        in address: JarAddress, storage: any JarStorage, rules: CookieRules, now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Int>, ServiceError>) -> Void
    ) {
        let store = store
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft in
                guard let store else { return draft.deleteJar(now: now) }
                return draft.deleteStore(store, now: now) ?? 0
            }, completion: completion)
    }
}
