// SPDX-License-Identifier: Apache-2.0

/// A jar as of one commit, shared by every reader and never changed.
public final class JarSnapshot: Sendable {
    /// A store with its name.
    public typealias Store = NamedStore

    /// The jar.
    public let state: JarState

    /// A snapshot of that state.
    public init(_ state: JarState) { self.state = state }

    /// A jar that does not exist.
    public static let empty = JarSnapshot(.empty)

    /// The store with that raw name as it stands in a request; nil when nobody has written to it.
    ///
    /// Complexity: O(log stores), without a heap allocation.
    public func store(named name: UnsafeBufferPointer<UInt8>) -> Store? { state.stores.find(name) }

    /// The store of that name; nil when nobody has written to it.
    ///
    /// Complexity: O(log stores).
    public func store(_ id: StoreID) -> Store? { state.stores.find(id) }
}
