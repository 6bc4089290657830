// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What one jar's write puts into the tables.
struct JarWrite {
    let address: JarAddress
    let base: KnownJar
    let changes: [Change]
    let after: KnownJar
    /// The records that the operations have looked at.
    let records: KnownTenant

    /// Adds the statement that does it; answers its number.
    func add(to script: inout Script) -> Int {
        let isNew = base.revision == 0
        return script.add(isNew ? Statements.create : Statements.update) { parameters in
            parameters.octets(address.tenant.bytes)
            parameters.octets(address.jar.bytes)
            parameters.integer(after.revision)
            parameters.integer(after.stamp)
            parameters.flag(after.snapshot.state.isPresent)
            parameters.add(log: changes)
            parameters.add(places: touched, of: after.snapshot.state)
            parameters.add(stores: touchedStores, of: after.snapshot.state)
            parameters.integer(records.stamp)
            if isNew {
                let createdAt = after.snapshot.state.createdAt ?? Timestamp(milliseconds: 0)
                parameters.integer(createdAt.milliseconds)
            } else {
                parameters.integer(base.revision)
                parameters.integer(base.stamp)
            }
        }
    }

    /// Each cookie that was touched.
    private var touched: [CookiePlace] {
        var seen = Set<CookiePlace>()
        var places: [CookiePlace] = []
        for change in changes {
            let identity: CookieIdentity
            switch change.content {
            case .added(let cookie), .changed(let cookie): identity = cookie.identity
            case .removed(let removed, _, _): identity = removed
            case .configured, .storeDeleted: continue
            }
            let place = CookiePlace(store: change.store, identity: identity)
            if seen.insert(place).inserted { places.append(place) }
        }
        return places
    }

    /// Each store whose presence or settings are not what they were.
    private var touchedStores: [StoreID] {
        let state = after.snapshot.state
        return Set(changes.map(\.store)).sorted().filter { store in
            let before = base.snapshot.state.stores[store]
            return before?.isPresent != state[store].isPresent
                || before?.settings != state[store].settings
        }
    }
}

/// Where a cookie's row is.
struct CookiePlace: Hashable {
    let store: StoreID
    let identity: CookieIdentity
}

// The parameters of the statements that write a jar.
extension Parameters {
    /// The changes' rows.
    mutating func add(log changes: [Change]) {
        let rows = changes.map(\.row)
        integers(changes.map { Int64(bitPattern: $0.revision.rawValue) })
        integers(changes.map(\.at.milliseconds))
        smalls(rows.map(\.kind.rawValue))
        smalls(changes.map { Int16($0.cause.rawValue) })
        texts(changes.map(\.store.bytes))
        octets(rows.map { $0.content })
    }

    /// Those cookies as the state has them.
    mutating func add(places: [CookiePlace], of state: JarState) {
        let cookies = places.map { state[$0.store].cookies[$0.identity] }
        octets(places.map { RowContent.key($0.identity, in: $0.store) })
        texts(places.map(\.store.bytes))
        integers(cookies.map { $0?.expires?.milliseconds })
        octets(cookies.map { $0.map { RowContent.encode($0) } })
        octets(
            places.map { place in
                state[place.store].tombstones[place.identity].map {
                    RowContent.encode($0, of: place.identity)
                }
            })
    }

    /// Those stores as the state has them.
    mutating func add(stores: [StoreID], of state: JarState) {
        texts(stores.map(\.bytes))
        flags(stores.map { state[$0].isPresent })
        octets(stores.map { RowContent.encode(state[$0].settings) })
    }
}
