// SPDX-License-Identifier: Apache-2.0

public import Cookies
public import JarStorage

/// Everything a jar holds, in a form that can be compared.
public struct JarContents: Hashable, Sendable {
    /// What one store holds.
    public struct Store: Hashable, Sendable {
        /// Its cookies in their order.
        public var cookies: [Cookie] = []
        /// Its tombstones.
        public var tombstones: [CookieIdentity: Tombstone]
        /// Its settings.
        public var settings: StoreSettings
        /// Whether it exists.
        public var isPresent: Bool
    }

    /// The jar's revision.
    public var revision: Revision
    /// When it was made.
    public var createdAt: Timestamp?
    /// Its stores.
    public var stores: [StoreID: Store]
}

extension StoreState {
    /// Everything the store holds.
    public var contents: JarContents.Store {
        var contents = JarContents.Store(
            tombstones: tombstones, settings: settings, isPresent: isPresent)
        cookies.forEach { contents.cookies.append($0) }
        return contents
    }

    /// The cookies whose time has not come.
    public func liveCookies(at now: Timestamp) -> [Cookie] {
        var live: [Cookie] = []
        cookies.forEach { if !$0.isExpired(at: now) { live.append($0) } }
        return live
    }
}

extension JarState {
    /// Everything the jar holds.
    public var contents: JarContents {
        JarContents(
            revision: revision, createdAt: createdAt,
            stores: Dictionary(uniqueKeysWithValues: stores.map { ($0.key, $0.value.contents) }))
    }
}
