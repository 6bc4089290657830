// SPDX-License-Identifier: Apache-2.0

/// Finds the group of a domain by octets that lie anywhere, so that a fetch can look up each suffix
/// of a host without making an array of it.
///
/// Open addressing with linear probing. A slot holds the index of a group plus one, and the upper
/// half of its hash, so that a probe rarely touches a wrong group. The hash is the standard
/// library's, keyed anew in each process: who chooses domains cannot choose collisions.
struct DomainTable: Sendable {
    /// The groups in no particular order.
    private(set) var groups: [CookieGroup] = []
    private var slots: [UInt64] = []

    /// The group of a domain.
    ///
    /// Complexity: O(length of the domain), without allocation.
    func group(of domain: UnsafeBufferPointer<UInt8>) -> CookieGroup? {
        guard !slots.isEmpty else { return nil }
        let hash = Self.hash(domain)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 {
            if slots[place] >> 32 == hash >> 32 {
                let group = groups[Self.index(slots[place])]
                if domain.isSame(as: group.domain) { return group }
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
        if let index = index(of: group.domain) {
            groups[index] = group
            return
        }
        groups.append(group)
        if groups.count * 2 > slots.count {
            rebuild()
        } else {
            insert(groups.count - 1)
        }
    }

    /// Takes a domain's group out.
    ///
    /// Complexity: O(domains).
    mutating func remove(_ domain: [UInt8]) {
        guard let index = index(of: domain) else { return }
        groups.swapAt(index, groups.count - 1)
        groups.removeLast()
        rebuild()
    }

    private func index(of domain: [UInt8]) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = domain.withUnsafeBufferPointer(Self.hash)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 {
            let index = Self.index(slots[place])
            if slots[place] >> 32 == hash >> 32, groups[index].domain == domain { return index }
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
        let hash = groups[index].domain.withUnsafeBufferPointer(Self.hash)
        var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
        slots[place] = (hash >> 32) << 32 | UInt64(index + 1)
    }

    private static func index(_ slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
