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
            addLog(to: &parameters)
            addCookies(to: &parameters)
            addStores(to: &parameters)
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

    private func addLog(to parameters: inout Parameters) {
        let rows = changes.map(\.row)
        parameters.integers(changes.map { Int64(bitPattern: $0.revision.rawValue) })
        parameters.integers(changes.map(\.at.milliseconds))
        parameters.smalls(rows.map(\.kind.rawValue))
        parameters.smalls(changes.map { Int16($0.cause.rawValue) })
        parameters.texts(changes.map(\.store.bytes))
        parameters.octets(rows.map { $0.content })
    }

    /// Each cookie that was touched, as it is left behind.
    private func addCookies(to parameters: inout Parameters) {
        struct Place: Hashable {
            let store: StoreID
            let identity: CookieIdentity
        }
        var seen = Set<Place>()
        var places: [Place] = []
        for change in changes {
            let identity: CookieIdentity
            switch change.content {
            case .added(let cookie), .changed(let cookie): identity = cookie.identity
            case .removed(let removed, _, _): identity = removed
            case .configured, .storeDeleted: continue
            }
            let place = Place(store: change.store, identity: identity)
            if seen.insert(place).inserted { places.append(place) }
        }
        let state = after.snapshot.state
        let cookies = places.map { state[$0.store].cookies[$0.identity] }
        parameters.octets(places.map { RowContent.key($0.identity, in: $0.store) })
        parameters.texts(places.map(\.store.bytes))
        parameters.integers(cookies.map { $0?.expires?.milliseconds })
        parameters.octets(cookies.map { $0.map { RowContent.encode($0) } })
        parameters.octets(
            places.map { place in
                state[place.store].tombstones[place.identity].map {
                    RowContent.encode($0, of: place.identity)
                }
            })
    }

    /// Each store whose presence or settings are not what they were.
    private func addStores(to parameters: inout Parameters) {
        let state = after.snapshot.state
        let stores = Set(changes.map(\.store)).sorted().filter { store in
            let before = base.snapshot.state.stores[store]
            return before?.isPresent != state[store].isPresent
                || before?.settings != state[store].settings
        }
        parameters.texts(stores.map(\.bytes))
        parameters.flags(stores.map { state[$0].isPresent })
        parameters.octets(stores.map { RowContent.encode(state[$0].settings) })
    }
}
