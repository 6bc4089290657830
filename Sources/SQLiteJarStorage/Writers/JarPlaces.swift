// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Finds the jars of a round by their names.
///
/// Every write looks for its jar, so that the hash is the quick one for tables in memory. Open addressing with linear
/// probing; a slot holds a place plus one.
struct JarPlaces {
    private var hashes: [UInt64] = []
    private var slots: [UInt32]

    /// Room for so many jars.
    init(capacity: Int) {
        hashes.reserveCapacity(capacity)
        slots = Self.emptySlots(for: capacity)
    }

    /// The place of a jar among those that were added in this order.
    func place(of jar: JarID, among jars: [WorkingJar]) -> Int? {
        let hash = Self.hash(jar)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if hashes[place] == hash, jars[place].name == jar { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a jar, at the next place.
    mutating func append(_ jar: JarID) {
        hashes.append(Self.hash(jar))
        if hashes.count * 2 > slots.count {
            slots = Self.emptySlots(for: hashes.count * 2)
            for place in hashes.indices { fill(place) }
        } else {
            fill(hashes.count - 1)
        }
    }

    private mutating func fill(_ place: Int) {
        var slot = Int(truncatingIfNeeded: hashes[place]) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(place + 1)
    }

    private static func emptySlots(for count: Int) -> [UInt32] {
        var size = 8
        while size < count * 2 { size *= 2 }
        return [UInt32](repeating: 0, count: size)
    }

    private static func hash(_ jar: JarID) -> UInt64 {
        jar.bytes.withUnsafeBufferPointer { TableHash.shared($0) }
    }
}
