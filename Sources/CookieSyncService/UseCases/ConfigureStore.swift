// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// Sets a store up, making it if it is not there (design section 2.6).
struct ConfigureStore: Sendable {
    /// What came of it.
    struct Answer: Sendable {
        /// Whether the store was not there before.
        let isNew: Bool
        /// The store as it is now.
        let body: StoreBody
    }

    /// The store's name.
    let store: StoreID
    /// Changes the settings that are given, and leaves the others as they are.
    let change: @Sendable (inout StoreSettings) -> Void

    /// Configures in one transaction.
    func run(
        in address: JarAddress, storage: any JarStorage, rules: CookieRules, now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        let (store, change) = (store, change)
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft in
                let isNew = !draft.state[store].isPresent
                var settings = draft.state[store].settings
                change(&settings)
                _ = draft.configure(store, as: settings, now: now)
                return Answer(
                    isNew: isNew, body: DescribeStore(name: store).describe(draft.state, now: now))
            }, completion: completion)
    }
}
