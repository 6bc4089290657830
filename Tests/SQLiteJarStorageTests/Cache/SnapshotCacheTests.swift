// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The snapshot cache")
struct SnapshotCacheTests {
    private func snapshot(_ revision: UInt64) -> JarSnapshot {
        JarSnapshot(JarState(revision: Revision(rawValue: revision), createdAt: nil))
    }

    private func cached(_ revision: UInt64) -> CachedJar {
        CachedJar(snapshot: snapshot(revision), number: 1)
    }

    private func find(_ cache: SnapshotCache, _ jar: String, of tenant: String) -> UInt64? {
        Array(tenant.utf8).withUnsafeBufferPointer { tenant in
            Array(jar.utf8).withUnsafeBufferPointer { jar in
                cache.read(tenant: tenant, jar: jar)?.state.revision.rawValue
            }
        }
    }

    @Test("finds what was filed last, by raw names, and nothing else")
    func lookups() {
        let cache = SnapshotCache(limit: 1 << 20)
        for index in 0..<500 {
            cache.insert(
                snapshot(UInt64(index)),
                at: StorageWorld.address("jar-\(index)", of: "t\(index % 7)"))
        }
        for index in 0..<500 {
            #expect(find(cache, "jar-\(index)", of: "t\(index % 7)") == UInt64(index))
            #expect(find(cache, "jar-\(index)", of: "t\((index + 1) % 7)") == nil)
        }
        cache.insert(snapshot(9), at: StorageWorld.address("jar-1", of: "t1"))
        #expect(find(cache, "jar-1", of: "t1") == 9)
        #expect(find(cache, "ar-1", of: "t1j") == nil)
        #expect(find(cache, "", of: "") == nil)
        cache.remove(StorageWorld.address("jar-1", of: "t1"))
        #expect(find(cache, "jar-1", of: "t1") == nil)
    }

    @Test("ends the watch over a jar that is written to, dropped, or makes room for others")
    func watches() throws {
        let cost = SnapshotShard<CachedJar>.cost(of: cached(1))
        let cache = SnapshotCache(limit: cost * 32)
        let alice = StorageWorld.address("alice")
        func watch() throws -> SnapshotWatch {
            try #require(alice.withBytes { cache.watch(tenant: $0, jar: $1) }?.watch)
        }
        #expect(alice.withBytes { cache.watch(tenant: $0, jar: $1) } == nil)
        let ends: [(SnapshotCache) -> Void] = [
            { $0.insert(snapshot(2), at: alice) }, { $0.remove(alice) },
            { $0.removeAll(of: alice.tenant) },
            { cache in
                for index in 0..<1000 {
                    cache.insert(snapshot(1), at: StorageWorld.address("jar-\(index)"))
                }
            },
        ]
        for end in ends {
            cache.insert(snapshot(1), at: alice)
            let watch = try watch()
            #expect(alice.withBytes { cache.watch(tenant: $0, jar: $1) }?.watch === watch)
            cache.insert(snapshot(1), at: StorageWorld.address("bob"))
            #expect(watch.isCurrent)
            end(cache)
            #expect(!watch.isCurrent)
        }
    }

    @Test("stays within its bytes, and gives them all back")
    func bound() {
        let cost = SnapshotShard<CachedJar>.cost(of: cached(1))
        let cache = SnapshotCache(limit: cost * 100)
        for index in 0..<1000 {
            cache.insert(snapshot(1), at: StorageWorld.address("jar-\(index)"))
            #expect(cache.byteCount <= cost * 100)
        }
        #expect(cache.byteCount > cost * 80)
        for index in 0..<1000 { cache.remove(StorageWorld.address("jar-\(index)")) }
        #expect(cache.byteCount == 0)
    }

    @Test("keeps no snapshot that is larger than all of it")
    func tooLarge() {
        let cache = SnapshotCache(limit: 10)
        cache.insert(snapshot(1), at: StorageWorld.address("alice"))
        #expect(cache.byteCount == 0)
        #expect(find(cache, "alice", of: "acme") == nil)
    }

    @Test("a shard drops what has not been used for longest, whatever happened between")
    func order() {
        var shard = SnapshotShard<CachedJar>()
        var model: [String] = []
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5000 {
            let jar = "jar-\(Int.random(in: 0..<200, using: &generator))"
            let address = StorageWorld.address(jar)
            let key = address.withBytes { SnapshotCache.hash($0, $1) }
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                _ = address.withBytes {
                    shard.insert(cached(1), hash: key, tenant: $0, jar: $1)
                }
                model.removeAll { $0 == jar }
                model.append(jar)
            case 2, 3:
                let found = address.withBytes { shard.find(key, tenant: $0, jar: $1) }
                #expect((found != nil) == model.contains(jar))
                if found != nil {
                    model.removeAll { $0 == jar }
                    model.append(jar)
                }
            case 4:
                let freed = address.withBytes { shard.remove(key, tenant: $0, jar: $1) }
                #expect((freed > 0) == model.contains(jar))
                model.removeAll { $0 == jar }
            default:
                let freed = shard.removeOldest()
                #expect((freed > 0) == !model.isEmpty)
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(shard.count == model.count)
        }
    }

    @Test("the hash tells where one name ends and the next begins")
    func boundaries() {
        func value(_ first: String, _ second: String) -> UInt64 {
            Array(first.utf8).withUnsafeBufferPointer { first in
                Array(second.utf8).withUnsafeBufferPointer { SnapshotCache.hash(first, $0) }
            }
        }
        #expect(value("ab", "c") == value("ab", "c"))
        #expect(value("ab", "c") != value("a", "bc"))
        #expect(value("", "abc") != value("abc", ""))
    }
}
