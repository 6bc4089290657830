// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What can be kept in a cache by its names.
protocol Snapshot: Sendable {
    /// One that takes no memory of its own.
    static var empty: Self { get }
    /// About how many bytes of memory it takes.
    var footprint: Int { get }
    /// Is told that it is not here any more: another has taken its place, or none.
    func retire()
}

/// A jar in memory.
struct CachedJar: Snapshot {
    let snapshot: JarSnapshot
    /// Its number in its tenant's file, so that a write need not look it up; nil when it has not been looked up since its
    /// first change.
    let number: Int64?
    /// Who asked to be told when it is not the newest any more; nil as long as nobody did.
    fileprivate var watch: SnapshotWatch?

    init(snapshot: JarSnapshot, number: Int64?) {
        self.snapshot = snapshot
        self.number = number
    }

    static var empty: CachedJar { CachedJar(snapshot: .empty, number: nil) }
    var footprint: Int { snapshot.state.footprint }
    func retire() { watch?.end() }
}

extension TenantState: Snapshot {
    func retire() {}
}

/// One part of a cache of snapshots: a hash table with chains, whose entries are linked in the order of their use.
///
/// Entries live in one array and refer to each other by index; a lookup neither allocates nor builds a key.
struct SnapshotShard<Value: Snapshot> {
    private struct Entry {
        var hash: UInt64
        var tenant: [UInt8]
        var jar: [UInt8]
        var snapshot: Value
        /// The next entry of the chain, or of the list of free entries.
        var next: Int32
        /// The neighbours in the order of use.
        var newer: Int32
        var older: Int32
    }

    private static var none: Int32 { -1 }
    private var buckets = [Int32](repeating: -1, count: 64)
    private var entries: [Entry] = []
    private var free: Int32 = -1
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    /// How many snapshots there are.
    private(set) var count = 0

    /// The snapshot of that name, which becomes the one used last.
    mutating func find(
        _ hash: UInt64, tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> Value? {
        let index = locate(hash, tenant, jar)
        guard index != Self.none else { return nil }
        touch(index)
        return entries[Int(index)].snapshot
    }

    /// Changes what is kept beside the snapshot of that name, which becomes the one used last.
    fileprivate mutating func update<Result>(
        _ hash: UInt64, tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>,
        _ body: (inout Value) -> Result
    ) -> Result? {
        let index = locate(hash, tenant, jar)
        guard index != Self.none else { return nil }
        touch(index)
        return body(&entries[Int(index)].snapshot)
    }

    /// The snapshot of that name, which is not used by that.
    func peek(
        _ hash: UInt64, tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> Value? {
        let index = locate(hash, tenant, jar)
        return index == Self.none ? nil : entries[Int(index)].snapshot
    }

    /// Visits every snapshot with its names, the one used last first.
    func forEach(_ body: (_ tenant: [UInt8], _ jar: [UInt8], Value) -> Void) {
        var index = newest
        while index != Self.none {
            let entry = entries[Int(index)]
            body(entry.tenant, entry.jar, entry.snapshot)
            index = entry.older
        }
    }

    /// Files a snapshot as the one used last; answers by how many bytes the shard has grown.
    mutating func insert(
        _ snapshot: Value, hash: UInt64, tenant: UnsafeBufferPointer<UInt8>,
        jar: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let existing = locate(hash, tenant, jar)
        guard existing == Self.none else {
            let before = Self.cost(of: entries[Int(existing)].snapshot)
            entries[Int(existing)].snapshot.retire()
            entries[Int(existing)].snapshot = snapshot
            touch(existing)
            return Self.cost(of: snapshot) - before
        }
        if count >= buckets.count { grow() }
        let bucket = bucket(of: hash)
        let entry = Entry(
            hash: hash, tenant: Array(tenant), jar: Array(jar), snapshot: snapshot,
            next: buckets[bucket], newer: Self.none, older: Self.none)
        let index = place(entry)
        buckets[bucket] = index
        link(index)
        count += 1
        return Self.cost(of: snapshot)
    }

    /// Drops the snapshot of a jar; answers how many bytes that frees.
    mutating func remove(
        _ hash: UInt64, tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let index = locate(hash, tenant, jar)
        return index == Self.none ? 0 : remove(index)
    }

    /// Drops the snapshot that has not been used for longest; answers how many bytes that frees.
    mutating func removeOldest() -> Int {
        oldest == Self.none ? 0 : remove(oldest)
    }

    /// Drops the snapshots of a tenant; answers how many bytes that frees.
    mutating func removeAll(of tenant: TenantID) -> Int {
        var freed = 0
        var index = newest
        while index != Self.none {
            let older = entries[Int(index)].older
            if entries[Int(index)].tenant == tenant.bytes { freed += remove(index) }
            index = older
        }
        return freed
    }

    /// What a snapshot counts for.
    static func cost(of snapshot: Value) -> Int { snapshot.footprint + 256 }

    private func bucket(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash & UInt64(buckets.count - 1))
    }

    private func locate(
        _ hash: UInt64, _ tenant: UnsafeBufferPointer<UInt8>, _ jar: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        var index = buckets[bucket(of: hash)]
        while index != Self.none {
            if matches(Int(index), hash, tenant, jar) { return index }
            index = entries[Int(index)].next
        }
        return Self.none
    }

    private func matches(
        _ index: Int, _ hash: UInt64, _ tenant: UnsafeBufferPointer<UInt8>,
        _ jar: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        entries[index].hash == hash && tenant.isSame(as: entries[index].tenant)
            && jar.isSame(as: entries[index].jar)
    }

    private mutating func place(_ entry: Entry) -> Int32 {
        guard free != Self.none else {
            entries.append(entry)
            return Int32(entries.count - 1)
        }
        let index = free
        free = entries[Int(index)].next
        entries[Int(index)] = entry
        return index
    }

    private mutating func remove(_ index: Int32) -> Int {
        let slot = Int(index)
        let bucket = bucket(of: entries[slot].hash)
        if buckets[bucket] == index {
            buckets[bucket] = entries[slot].next
        } else {
            var before = buckets[bucket]
            while entries[Int(before)].next != index { before = entries[Int(before)].next }
            entries[Int(before)].next = entries[slot].next
        }
        unlink(index)
        let cost = Self.cost(of: entries[slot].snapshot)
        entries[slot].snapshot.retire()
        entries[slot].snapshot = .empty
        entries[slot].tenant = []
        entries[slot].jar = []
        entries[slot].next = free
        free = index
        count -= 1
        return cost
    }

    private mutating func touch(_ index: Int32) {
        guard newest != index else { return }
        unlink(index)
        link(index)
    }

    private mutating func link(_ index: Int32) {
        entries[Int(index)].newer = Self.none
        entries[Int(index)].older = newest
        if newest != Self.none { entries[Int(newest)].newer = index }
        newest = index
        if oldest == Self.none { oldest = index }
    }

    private mutating func unlink(_ index: Int32) {
        let newer = entries[Int(index)].newer
        let older = entries[Int(index)].older
        if newer == Self.none { newest = older } else { entries[Int(newer)].older = older }
        if older == Self.none { oldest = newer } else { entries[Int(older)].newer = newer }
    }

    private mutating func grow() {
        buckets = [Int32](repeating: Self.none, count: buckets.count * 2)
        var index = newest
        while index != Self.none {
            let bucket = bucket(of: entries[Int(index)].hash)
            entries[Int(index)].next = buckets[bucket]
            buckets[bucket] = index
            index = entries[Int(index)].older
        }
    }
}

extension SnapshotShard<CachedJar> {
    /// The snapshot of that name, which becomes the one used last, and a watch over it.
    mutating func watch(
        _ hash: UInt64, tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot? {
        update(hash, tenant: tenant, jar: jar) { cached in
            let watch = cached.watch ?? SnapshotWatch()
            cached.watch = watch
            return WatchedSnapshot(cached.snapshot, watch)
        }
    }
}

extension JarAddress {
    /// The raw names of the tenant and the jar.
    func withBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        tenant.bytes.withUnsafeBufferPointer { tenant in
            jar.bytes.withUnsafeBufferPointer { body(tenant, $0) }
        }
    }
}
