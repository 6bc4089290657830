// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// Describes a jar with its stores.
struct DescribeJar: Sendable {
    /// The jar's name.
    let name: JarID
    /// The stores that the caller may see; empty for all.
    let visible: [StoreID]

    /// The description, or nil when the jar does not exist.
    func run(on state: JarState, now: Timestamp) -> JarBody? {
        guard state.isPresent, let createdAt = state.createdAt else { return nil }
        let stores = state.stores.filter { name, store in
            store.isPresent && (visible.isEmpty || visible.contains(name))
        }.sorted { $0.key < $1.key }
        return JarBody(
            name: name.bytes, revision: state.revision.rawValue,
            createdAt: createdAt.milliseconds,
            stores: stores.map { name, store in
                JarBody.StoreLine(
                    name: name.bytes, cookieCount: store.liveCookies(at: now).total)
            })
    }
}

/// Describes a store.
struct DescribeStore: Sendable {
    /// The store's name.
    let name: StoreID

    /// The description, or nil when the store does not exist.
    func run(on state: JarState, now: Timestamp) -> StoreBody? {
        state[name].isPresent ? describe(state, now: now) : nil
    }

    /// The description of a store that exists.
    func describe(_ state: JarState, now: Timestamp) -> StoreBody {
        let store = state[name]
        let count = store.liveCookies(at: now)
        return StoreBody(
            name: name.bytes, revision: state.revision.rawValue, cookieCount: count.total,
            sessionCookieCount: count.session, acceptPolicy: store.settings.acceptPolicy.word,
            matching: store.settings.matching.word,
            sessionLifetimeSeconds: store.settings.sessionLifetimeSeconds)
    }
}

extension StoreState {
    /// How many cookies there are that have not expired, and how many of them end with the session.
    fileprivate func liveCookies(at now: Timestamp) -> (total: Int, session: Int) {
        var count = (total: 0, session: 0)
        cookies.forEach { cookie in
            guard !cookie.isExpired(at: now) else { return }
            count.total += 1
            if cookie.expires == nil { count.session += 1 }
        }
        return count
    }
}

extension AcceptPolicy {
    fileprivate var word: String {
        switch self {
        case .always: "always"
        case .never: "never"
        case .onlyFromMainDocument: "only_from_main_document"
        }
    }
}

extension HostMatching {
    fileprivate var word: String {
        switch self {
        case .rfc6265: "rfc6265"
        case .hostSuffix: "host_suffix"
        case .hostContains: "host_contains"
        }
    }
}
