// SPDX-License-Identifier: Apache-2.0

/// Some cookies of a store in an order of one's own, which lie where the store has them.
///
/// A cookie is made when it is asked for, so that whoever goes through a large store slowly holds eight octets for each
/// that it has not come to, and shares the rest with the store.
public struct CookieSelection: Sendable, RandomAccessCollection {
    private struct Place: Sendable {
        let group: Int32
        let index: Int32
    }

    private let groups: [CookieGroup]
    private var places: [Place] = []

    /// Every cookie of a store, in no particular order.
    ///
    /// Complexity: O(n).
    public init(_ store: CookieStore) {
        groups = store.table.groups
        places.reserveCapacity(store.count)
        for (number, group) in groups.enumerated() {
            for index in group.entries.indices {
                places.append(Place(group: Int32(number), index: Int32(index)))
            }
        }
    }

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place after the last.
    public var endIndex: Int { places.count }

    /// The cookie at a place.
    ///
    /// Complexity: O(octets of the cookie).
    public subscript(position: Int) -> Cookie {
        let place = places[position]
        return groups[Int(place.group)].cookie(at: Int(place.index))
    }

    /// Leaves out the cookies for which the answer is true.
    ///
    /// Complexity: O(n).
    public mutating func removeAll(where isLeftOut: (Cookie) -> Bool) {
        places = indices.filter { !isLeftOut(self[$0]) }.map { places[$0] }
    }

    /// Puts the cookies in the order of what is answered for each.
    ///
    /// Complexity: O(n log n); each cookie is made once.
    public mutating func sort<Key>(by key: (Cookie) -> Key, _ precedes: (Key, Key) -> Bool) {
        let keyed = zip(map(key), places).sorted { precedes($0.0, $1.0) }
        places = keyed.map(\.1)
    }
}
