// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Sets a standing sync (design section 2.4).
struct PutSyncRule: Sendable {
    /// What came of it.
    struct Answer: Sendable {
        /// Whether there was no rule of that name.
        let isNew: Bool
        /// The rule as it is now.
        let rule: SyncRule
    }

    /// The rule.
    let rule: SyncRule
    /// Whether jars that are there already are brought in step as well.
    let appliesToExisting: Bool

    /// Sets the rule.
    ///
    /// Jars from before it are gone through anew whenever that is asked for, but a run that is under way for the very same
    /// rule goes on.
    func run(
        of tenant: TenantID, storage: any JarStorage, now: Timestamp,
        completion: @escaping @Sendable (Result<Answer, ServiceError>) -> Void
    ) {
        let (wanted, appliesToExisting) = (rule, appliesToExisting)
        storage.changeRecords(
            of: tenant,
            operation: { draft throws(ServiceError) in
                var rule = wanted
                rule.filter = try draft.hosts.actual(rule.filter)
                let standing = draft.syncRule(rule.name)
                guard standing != nil || draft.syncRules.count < SyncRule.maximumRules else {
                    throw .tooMany("sync rules")
                }
                if appliesToExisting {
                    rule.backfill = SyncBackfill(startedAt: now)
                    if let running = standing?.backfill, running.finishedAt == nil,
                        standing?.saysSame(as: rule) == true
                    {
                        rule.backfill = running
                    }
                }
                draft.set(rule)
                return Answer(isNew: standing == nil, rule: rule)
            }, completion: completion)
    }
}

/// Ends a standing sync.
struct DeleteSyncRule: Sendable {
    /// Its name.
    let name: SyncRuleID

    /// Ends it, if it is there; what it has brought to a store stays.
    func run(
        of tenant: TenantID, storage: any JarStorage,
        completion: @escaping @Sendable (Result<Bool, ServiceError>) -> Void
    ) {
        let name = name
        storage.changeRecords(
            of: tenant, operation: { draft throws(ServiceError) in draft.removeSyncRule(name) },
            completion: completion)
    }
}

extension SyncRule {
    /// Whether both do the same, however far each has come.
    fileprivate func saysSame(as other: SyncRule) -> Bool {
        var other = other
        other.backfill = backfill
        return self == other
    }
}
