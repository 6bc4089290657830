// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Ends the session of a store, or of every store of a jar: its session cookies go, as when a browser closes.
struct EndSession: Sendable {
    /// The store; nil means every one.
    let store: StoreID?

    /// Drops them in one transaction and answers how many there were.
    func run(
        in address: JarAddress, storage: any JarStorage, rules: CookieRules, now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Int>, ServiceError>) -> Void
    ) {
        let store = store
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft in
                let stores = store.map { [$0] } ?? draft.state.stores.keys.sorted()
                return stores.reduce(0) { $0 + draft.endSession(of: $1, now: now) }
            }, completion: completion)
    }
}
