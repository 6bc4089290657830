// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The records of tenants that are ready to be read: the newest commit of each, bounded by the bytes that they take.
///
/// Only a tenant's writer changes a tenant's entry, after its commits. The lock is held for a lookup or an update, never
/// for I/O. One lock is enough: records are asked for by requests that name an address, and by those that name a
/// tenant.
final class TenantCache: Sendable {
    private struct Content: Sendable {
        var shard = SnapshotShard<TenantState>()
        var size = 0
    }

    private let content = Locked(Content())
    private let limit: Int
    private static var noJar: UnsafeBufferPointer<UInt8> { .init(start: nil, count: 0) }

    /// A cache that holds about `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// The newest records of a tenant by its raw name, if they are here.
    ///
    /// Complexity: O(1), without a heap allocation.
    func find(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? {
        let hash = SnapshotCache.hash(tenant, Self.noJar)
        return content.withLock { $0.shard.find(hash, tenant: tenant, jar: Self.noJar) }
    }

    /// Files the newest records of a tenant, and drops what has not been used for longest if there is too much.
    func insert(_ state: TenantState, of tenant: TenantID) {
        tenant.bytes.withUnsafeBufferPointer { name in
            let hash = SnapshotCache.hash(name, Self.noJar)
            content.withLock { content in
                content.size += content.shard.insert(
                    state, hash: hash, tenant: name, jar: Self.noJar)
                while content.size > limit, content.shard.count > 0 {
                    content.size -= content.shard.removeOldest()
                }
            }
        }
    }

    /// Drops a tenant.
    func remove(_ tenant: TenantID) {
        tenant.bytes.withUnsafeBufferPointer { name in
            let hash = SnapshotCache.hash(name, Self.noJar)
            content.withLock { content in
                content.size -= content.shard.remove(hash, tenant: name, jar: Self.noJar)
            }
        }
    }
}
