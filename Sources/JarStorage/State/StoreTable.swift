// SPDX-License-Identifier: Apache-2.0

private import Cookies

/// A store with its name, as an object that never changes: to hand it out takes one reference, not one to each of its
/// parts, and a jar that goes on by a change shares the stores that the change does not touch.
public final class NamedStore: Sendable {
    /// The store's name.
    public let name: StoreID
    /// The store.
    public let state: StoreState

    init(_ name: StoreID, _ state: StoreState) {
        self.name = name
        self.state = state
    }
}

/// The stores of a jar, in the order of their names' octets.
///
/// A jar has a few, so that to look through their names costs less than to hash one.
public struct StoreTable: Sendable, RandomAccessCollection {
    /// The stores as objects.
    private(set) var entries: [NamedStore] = []

    /// The names.
    public var keys: [StoreID] { entries.map(\.name) }
    /// Where the first one is.
    public var startIndex: Int { 0 }
    /// The place after the last one.
    public var endIndex: Int { entries.count }

    /// The name and the store at a place.
    public subscript(position: Int) -> (key: StoreID, value: StoreState) {
        (entries[position].name, entries[position].state)
    }

    /// The store of that name; nil when nobody has written to it.
    ///
    /// Complexity: O(log n).
    public subscript(store: StoreID) -> StoreState? { find(store)?.state }

    /// The store of that name, as an object.
    func find(_ store: StoreID) -> NamedStore? { store.bytes.withUnsafeBufferPointer(find) }

    /// The store of that raw name.
    ///
    /// Complexity: O(log n), without a heap allocation.
    func find(_ name: UnsafeBufferPointer<UInt8>) -> NamedStore? {
        let place = place(of: name)
        guard place < entries.count, name.isSame(as: entries[place].name.bytes) else { return nil }
        return entries[place]
    }

    /// Changes a store, beginning with an absent one where there is none.
    ///
    /// Complexity: O(n), as the table of a jar is shared with the jar before.
    mutating func update(_ store: StoreID, _ body: (inout StoreState) -> Void) {
        let place = store.bytes.withUnsafeBufferPointer(place)
        let isThere = place < entries.count && entries[place].name == store
        var state = isThere ? entries[place].state : .absent
        body(&state)
        if isThere {
            entries[place] = NamedStore(store, state)
        } else {
            entries.insert(NamedStore(store, state), at: place)
        }
    }

    /// The first place whose name does not come before this one.
    private func place(of name: UnsafeBufferPointer<UInt8>) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let isBefore = entries[middle].name.bytes.withUnsafeBufferPointer {
                $0.precedes(name)
            }
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these octets come before others in the order of octets.
    fileprivate func precedes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return count < other.count
    }
}
