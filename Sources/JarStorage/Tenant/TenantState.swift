// SPDX-License-Identifier: Apache-2.0

/// The small named records of a tenant at one revision, shared by every reader and never changed.
///
/// An object: to hand it out takes one reference, whatever the tenant has.
public final class TenantState: Sendable {
    /// How many changes its records have seen.
    public let revision: Revision
    /// Which addresses belong to which host.
    public let hosts: HostTable
    /// The standing syncs, in the order of their names.
    public let syncRules: [SyncRule]
    /// About how many bytes of memory it takes, for the bound of a cache.
    public let footprint: Int

    /// A tenant without records.
    public static let empty = TenantState(revision: .zero, hosts: HostTable(), syncRules: [])

    init(revision: Revision, hosts: HostTable, syncRules: [SyncRule]) {
        self.revision = revision
        self.hosts = hosts
        self.syncRules = syncRules
        footprint = 256 + hosts.footprint + syncRules.reduce(0) { $0 + $1.footprint }
    }

    /// The state that an engine kept, from its records in any order.
    public convenience init(
        revision: Revision, records: [TenantRecord]
    ) throws(UndecodableRecord) {
        var hosts = HostTable()
        var rules: [SyncRule] = []
        for record in records {
            switch record.kind {
            case .host:
                guard let host = HostRecord(record) else {
                    throw UndecodableRecord(kind: record.kind)
                }
                hosts.set(host)
            case .syncRule:
                guard let rule = SyncRule(record) else {
                    throw UndecodableRecord(kind: record.kind)
                }
                rules.append(rule)
            }
        }
        rules.sort { $0.name < $1.name }
        self.init(revision: revision, hosts: hosts, syncRules: rules)
    }

    /// The rule of that name.
    public func syncRule(_ name: SyncRuleID) -> SyncRule? {
        syncRules.first { $0.name == name }
    }
}
