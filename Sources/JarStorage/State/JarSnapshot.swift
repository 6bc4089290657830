// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A jar as of one commit, shared by every reader and never changed.
public final class JarSnapshot: Sendable {
    /// A store with its name, as an object: to hand it out takes one reference, not one to each of its parts.
    public final class Store: Sendable {
        /// The store.
        public let state: StoreState
        fileprivate let name: [UInt8]

        fileprivate init(_ name: [UInt8], _ state: StoreState) {
            self.name = name
            self.state = state
        }
    }

    /// The jar.
    public let state: JarState
    private let stores: [Store]

    /// A snapshot of that state.
    public init(_ state: JarState) {
        self.state = state
        stores = state.stores.map { Store($0.key.bytes, $0.value) }
    }

    /// A jar that does not exist.
    public static let empty = JarSnapshot(.empty)

    /// The store with that raw name as it stands in a request; nil when nobody has written to it.
    ///
    /// Complexity: O(stores), without a heap allocation.
    public func store(named name: UnsafeBufferPointer<UInt8>) -> Store? {
        stores.first { name.isSame(as: $0.name) }
    }

    /// The store of that name; nil when nobody has written to it.
    ///
    /// Complexity: O(stores).
    public func store(_ id: StoreID) -> Store? {
        id.bytes.withUnsafeBufferPointer { store(named: $0) }
    }
}
