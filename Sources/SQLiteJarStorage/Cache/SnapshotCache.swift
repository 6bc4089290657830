// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Synchronization

/// The jars that are ready to be read: the newest commit of each, bounded by the bytes that they take.
///
/// Only a tenant's writer changes a tenant's entries, and does so after its commits: what is found here is
/// current. Each lock is held for a lookup or an update of one shard, never for I/O.
final class SnapshotCache: Sendable {
    private struct Content: Sendable {
        var shard = SnapshotShard<CachedJar>()
        /// Reads that found something, and those that did not: counted where the lock has brought the cache line anyway.
        var hits = 0
        var misses = 0
    }

    private final class Shard: Sendable {
        let content = Locked(Content())
    }

    private static let shardCount = 16
    private let shards: [Shard]
    private let limit: Int
    private let size = Atomic<Int>(0)
    private let evictions = Atomic<Int>(0)

    /// A cache that holds about `limit` bytes.
    init(limit: Int) {
        self.limit = limit
        shards = (0..<Self.shardCount).map { _ in Shard() }
    }

    /// About how many bytes it holds.
    var byteCount: Int { size.load(ordering: .relaxed) }

    /// How many jars were dropped to make room.
    var evictionCount: Int { evictions.load(ordering: .relaxed) }

    /// How many reads found their jar here, and how many did not.
    var reads: (hits: Int, misses: Int) {
        shards.reduce((0, 0)) { sum, shard in
            shard.content.withLock { (sum.0 &+ $0.hits, sum.1 &+ $0.misses) }
        }
    }

    /// The newest state of a jar by its raw names, if it is here; counted as a read.
    ///
    /// Complexity: O(1), without a heap allocation.
    func read(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        counted(tenant, jar) { $0.find($1, tenant: tenant, jar: jar)?.snapshot }
    }

    /// The same with a watch, which ends when another state takes its place or it is dropped.
    ///
    /// Complexity: O(1); a heap allocation for the first watch over a state.
    func watch(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot? {
        counted(tenant, jar) { $0.watch($1, tenant: tenant, jar: jar) }
    }

    /// Looks for a jar in its shard by its hash, and counts whether it was there.
    private func counted<Found: Sendable>(
        _ tenant: UnsafeBufferPointer<UInt8>, _ jar: UnsafeBufferPointer<UInt8>,
        _ look: (inout SnapshotShard<CachedJar>, UInt64) -> Found?
    ) -> Found? {
        let key = Self.hash(tenant, jar)
        return shard(of: key).content.withLock {
            guard let found = look(&$0.shard, key) else {
                $0.misses &+= 1
                return nil
            }
            $0.hits &+= 1
            return found
        }
    }

    /// The newest state of a jar, if it is here.
    func find(_ address: JarAddress) -> JarSnapshot? { findNumbered(address)?.snapshot }

    /// The same with the jar's number, as far as that is known.
    func findNumbered(_ address: JarAddress) -> CachedJar? {
        address.withBytes { tenant, jar in
            let key = Self.hash(tenant, jar)
            return shard(of: key).content.withLock { $0.shard.find(key, tenant: tenant, jar: jar) }
        }
    }

    /// The newest state of a jar, if it is here, without that counting as a use.
    func peek(_ address: JarAddress) -> JarSnapshot? {
        address.withBytes { tenant, jar in
            let key = Self.hash(tenant, jar)
            return shard(of: key).content.withLock {
                $0.shard.peek(key, tenant: tenant, jar: jar)?.snapshot
            }
        }
    }

    /// Everything that is here, by tenant.
    ///
    /// - Complexity: O(n) in everything that it holds.
    var all: [TenantID: [(jar: JarID, state: JarState)]] {
        var all: [TenantID: [(jar: JarID, state: JarState)]] = [:]
        for shard in shards {
            shard.content.withLock { content in
                content.shard.forEach { tenant, jar, cached in
                    guard let tenant = TenantID(tenant), let jar = JarID(jar) else { return }
                    all[tenant, default: []].append((jar, cached.snapshot.state))
                }
            }
        }
        return all
    }

    /// Files the newest state of a jar, with its number in its tenant's file if that is known, and drops what has not
    /// been used for longest if there is too much.
    func insert(_ snapshot: JarSnapshot, number: Int64? = nil, at address: JarAddress) {
        let cached = CachedJar(snapshot: snapshot, number: number)
        guard SnapshotShard<CachedJar>.cost(of: cached) <= limit else { return remove(address) }
        address.withBytes { tenant, jar in
            let key = Self.hash(tenant, jar)
            let growth = shard(of: key).content.withLock {
                $0.shard.insert(cached, hash: key, tenant: tenant, jar: jar)
            }
            size.wrappingAdd(growth, ordering: .relaxed)
            evict(from: index(of: key))
        }
    }

    /// Drops a jar.
    func remove(_ address: JarAddress) {
        let freed = address.withBytes { tenant, jar in
            let key = Self.hash(tenant, jar)
            return shard(of: key).content.withLock {
                $0.shard.remove(key, tenant: tenant, jar: jar)
            }
        }
        size.wrappingSubtract(freed, ordering: .relaxed)
    }

    /// Drops every jar of a tenant.
    ///
    /// - Complexity: O(n) in everything that it holds.
    func removeAll(of tenant: TenantID) {
        for shard in shards {
            let freed = shard.content.withLock { $0.shard.removeAll(of: tenant) }
            size.wrappingSubtract(freed, ordering: .relaxed)
        }
    }

    /// Drops the oldest entries of the shard that has grown, all but the newest, then those of the next ones.
    private func evict(from first: Int) {
        guard byteCount > limit else { return }
        for offset in 0..<Self.shardCount {
            let shard = shards[(first + offset) % Self.shardCount]
            while byteCount > limit {
                let freed = shard.content.withLock { content in
                    content.shard.count > (offset == 0 ? 1 : 0) ? content.shard.removeOldest() : 0
                }
                guard freed > 0 else { break }
                evictions.wrappingAdd(1, ordering: .relaxed)
                size.wrappingSubtract(freed, ordering: .relaxed)
            }
        }
    }

    /// A hash that is keyed anew in each process: names come from the network, so nobody may be able to
    /// choose ones that collide.
    static func hash(
        _ tenant: UnsafeBufferPointer<UInt8>, _ jar: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        TableHash.shared(jar, after: TableHash.shared(tenant))
    }

    /// The top bits choose the shard, the low ones the place in it.
    private func index(of key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 60) }

    private func shard(of key: UInt64) -> Shard { shards[index(of: key)] }
}
