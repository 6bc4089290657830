// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// What was read or written lately, jars and tenants' records, bounded by the memory it takes.
///
/// Any node may have changed them since: what is here is used only once the database has confirmed its revision.
final class KnownStates: Sendable {
    /// Whose state it is.
    private enum Key: Hashable {
        case jar(JarAddress)
        case tenant(TenantID)
    }

    private enum Known {
        case jar(KnownJar)
        case tenant(KnownTenant)
    }

    private struct Entry {
        let known: Known
        let cost: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var size = 0
        var uses: UInt64 = 0
    }

    private let state = Locked(State())
    private let limit: Int

    /// A cache of about `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// About how many bytes it takes.
    var size: Int { state.withLock { $0.size } }

    /// The jar as it was when it was last seen.
    func find(_ address: JarAddress) -> KnownJar? {
        if case .jar(let jar) = find(.jar(address)) { jar } else { nil }
    }

    /// The tenant's records as they were when they were last seen.
    func find(_ tenant: TenantID) -> KnownTenant? {
        if case .tenant(let records) = find(.tenant(tenant)) { records } else { nil }
    }

    /// Files a jar as it was just seen.
    func insert(_ jar: KnownJar, at address: JarAddress) {
        insert(.jar(jar), jar.snapshot.state.footprint, .jar(address))
    }

    /// Files a tenant's records as they were just seen.
    func insert(_ records: KnownTenant, of tenant: TenantID) {
        insert(.tenant(records), records.state.footprint, .tenant(tenant))
    }

    /// Forgets a jar.
    func remove(_ address: JarAddress) { remove(.jar(address)) }

    /// Forgets a tenant's records.
    func remove(_ tenant: TenantID) { remove(.tenant(tenant)) }

    private func find(_ key: Key) -> Known? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.known
        }
    }

    private func insert(_ known: Known, _ footprint: Int, _ key: Key) {
        let cost = footprint + 512
        state.withLock { state in
            state.uses += 1
            let old = state.entries.updateValue(
                Entry(known: known, cost: cost, lastUse: state.uses), forKey: key)
            state.size += cost - (old?.cost ?? 0)
            if state.size > limit { evict(&state) }
        }
    }

    private func remove(_ key: Key) {
        state.withLock { state in
            if let old = state.entries.removeValue(forKey: key) { state.size -= old.cost }
        }
    }

    /// Drops those that have not been used for longest, a quarter of the room at a time, so that the search for them is
    /// spread over many insertions.
    private func evict(_ state: inout State) {
        for (key, entry) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.size > limit - limit / 4 else { return }
            state.entries[key] = nil
            state.size -= entry.cost
        }
    }
}
