// SPDX-License-Identifier: Apache-2.0

/// Finds the group of a domain by octets that lie anywhere, so that a fetch can look up each suffix
/// of a host without making an array of it.
///
/// Open addressing with linear probing. A slot holds the index of a group plus one, and the upper
/// half of its hash, so that a probe rarely touches a wrong group. The hash is keyed anew in each
/// process: who chooses domains cannot choose collisions.
struct DomainTable: Sendable {
    /// The groups in no particular order.
    private(set) var groups: [CookieGroup] = []
    private var slots: [UInt64] = []

    /// The group of a domain.
    func group(of domain: UnsafeBufferPointer<UInt8>) -> CookieGroup? {
        index(of: domain).map { groups[$0] }
    }

    /// The place of a domain's group among the groups: what is looked up by it takes no reference.
    ///
    /// Complexity: O(length of the domain), without allocation.
    func index(of domain: UnsafeBufferPointer<UInt8>) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = Self.hash(domain)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 {
            if slots[place] >> 32 == hash >> 32 {
                let index = Self.index(slots[place])
                if domain.isSame(as: groups[index].domain) { return index }
            }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    func group(of domain: [UInt8]) -> CookieGroup? {
        domain.withUnsafeBufferPointer { group(of: $0) }
    }

    /// Puts a group in the place of the one with its domain, or adds it.
    mutating func set(_ group: CookieGroup) {
        if let place = place(of: group.domain) {
            groups[Self.index(slots[place])] = group
            return
        }
        groups.append(group)
        if groups.count * 2 > slots.count {
            rebuild()
        } else {
            insert(groups.count - 1)
        }
    }

    /// Takes a domain's group out; the last group moves to its index.
    ///
    /// Complexity: O(length of the domains), amortised.
    mutating func remove(_ domain: [UInt8]) {
        guard let place = place(of: domain) else { return }
        let index = Self.index(slots[place])
        let last = groups.count - 1
        if index != last, let moved = self.place(of: groups[last].domain) {
            slots[moved] = Self.slot(hash(ofGroup: last), index)
        }
        groups.swapAt(index, last)
        groups.removeLast()
        empty(place)
        if groups.count * 8 < slots.count { rebuild() }
    }

    /// Empties a slot, and moves up what would not be found any more beyond it.
    private mutating func empty(_ place: Int) {
        let mask = slots.count - 1
        var hole = place
        var next = (place + 1) & mask
        while slots[next] != 0 {
            let index = Self.index(slots[next])
            let home = Int(truncatingIfNeeded: hash(ofGroup: index)) & mask
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = 0
    }

    /// The slot of a domain's group.
    private func place(of domain: [UInt8]) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = domain.withUnsafeBufferPointer(Self.hash)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 {
            if slots[place] >> 32 == hash >> 32, groups[Self.index(slots[place])].domain == domain {
                return place
            }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func rebuild() {
        var capacity = 4
        while capacity < groups.count * 2 { capacity *= 2 }
        slots = [UInt64](repeating: 0, count: groups.isEmpty ? 0 : capacity)
        for index in groups.indices { insert(index) }
    }

    private mutating func insert(_ index: Int) {
        let hash = hash(ofGroup: index)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
        slots[place] = Self.slot(hash, index)
    }

    private static func slot(_ hash: UInt64, _ index: Int) -> UInt64 {
        (hash >> 32) << 32 | UInt64(index + 1)
    }

    private func hash(ofGroup index: Int) -> UInt64 {
        groups[index].domain.withUnsafeBufferPointer(Self.hash)
    }

    private static func index(_ slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        TableHash.shared(bytes)
    }
}
