// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// A working copy of a tenant's records that notes what is done to it.
///
/// What changes nothing notes nothing. Each change takes the next revision.
public struct TenantDraft: Sendable {
    /// The records as they were.
    public let base: TenantState
    /// Which addresses belong to which host, as it is with the changes.
    public private(set) var hosts: HostTable
    /// The standing syncs, as they are with the changes, in the order of their names.
    public private(set) var syncRules: [SyncRule]
    /// What has been done, in order.
    public private(set) var changes: [TenantChange] = []

    /// A draft of those records.
    public init(_ base: TenantState) {
        self.base = base
        hosts = base.hosts
        syncRules = base.syncRules
    }

    /// The records with the changes.
    public var state: TenantState {
        guard !changes.isEmpty else { return base }
        return TenantState(
            revision: Revision(rawValue: base.revision.rawValue + UInt64(changes.count)),
            hosts: hosts, syncRules: syncRules)
    }

    /// Forgets every change.
    public mutating func discard() { self = TenantDraft(base) }

    /// Sets which addresses a host has.
    public mutating func set(_ record: HostRecord) {
        guard hosts[record.host] != record else { return }
        hosts.set(record)
        changes.append(.put(record.record))
    }

    /// Takes a host out; false when there is none.
    public mutating func remove(_ host: Host) -> Bool {
        guard hosts.remove(host) else { return false }
        changes.append(.removed(.host, name: host.bytes))
        return true
    }

    /// Sets a standing sync.
    public mutating func set(_ rule: SyncRule) {
        let index = syncRules.firstIndex { $0.name >= rule.name } ?? syncRules.endIndex
        if index < syncRules.endIndex, syncRules[index].name == rule.name {
            guard syncRules[index] != rule else { return }
            syncRules[index] = rule
        } else {
            syncRules.insert(rule, at: index)
        }
        changes.append(.put(rule.record))
    }

    /// Ends a standing sync; false when there is none of that name.
    public mutating func removeSyncRule(_ name: SyncRuleID) -> Bool {
        guard let index = syncRules.firstIndex(where: { $0.name == name }) else { return false }
        syncRules.remove(at: index)
        changes.append(.removed(.syncRule, name: name.bytes))
        return true
    }

    /// The standing sync of that name.
    public func syncRule(_ name: SyncRuleID) -> SyncRule? {
        syncRules.first { $0.name == name }
    }
}
