// SPDX-License-Identifier: Apache-2.0

/// A jar as of one commit, shared by every reader and never changed.
public final class JarSnapshot: Sendable {
    /// The jar.
    public let state: JarState
    private let names: [(bytes: [UInt8], state: StoreState)]

    /// A snapshot of that state.
    public init(_ state: JarState) {
        self.state = state
        names = state.stores.map { (bytes: $0.key.bytes, state: $0.value) }
    }

    /// A jar that does not exist.
    public static let empty = JarSnapshot(.empty)

    /// The store with that raw name as it stands in a request; nil when nobody has written to it.
    ///
    /// Complexity: O(stores), without a heap allocation.
    public func store(named name: UnsafeBufferPointer<UInt8>) -> StoreState? {
        for entry in names where entry.bytes.count == name.count && name.elementsEqual(entry.bytes)
        {
            return entry.state
        }
        return nil
    }
}
