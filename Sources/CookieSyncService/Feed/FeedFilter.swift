// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Which changes a follower is told of.
struct FeedFilter: Hashable, Sendable {
    /// Only those of this store.
    var store: StoreID?
    /// Only those of cookies in this scope.
    var scope = CookieFilter.Scope.any
    /// Only those of these stores, which are all that the follower may see; empty for all.
    var stores: [StoreID] = []
    /// Whether it may see the values of cookies.
    var showsValues = true

    /// Whether it is told of a change; of settings and of the deletion of what never was, nobody is.
    func passes(_ change: Change) -> Bool {
        guard change.kind != nil, store == nil || change.store == store,
            stores.isEmpty || stores.contains(change.store)
        else { return false }
        switch change.content {
        case .added(let cookie), .changed(let cookie): return scope.includes(cookie.identity)
        case .removed(let identity, _, _): return scope.includes(identity)
        case .configured, .storeDeleted: return false
        }
    }
}
