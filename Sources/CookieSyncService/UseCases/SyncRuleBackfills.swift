// SPDX-License-Identifier: Apache-2.0

import Cookies
import Dispatch
import JarStorage
import Locks
import Telemetry

/// Applies rules to the jars that were there before them, in the background.
///
/// One jar of a rule at a time, as one write among others, so that no client waits for more than that. How far it has
/// come is written down after each page of jars: a restart goes on from there, and what it does twice changes nothing.
final class SyncRuleBackfills: Sendable {
    private struct Run: Hashable {
        let tenant: TenantID
        let rule: SyncRuleID
    }

    /// What a page of jars came to.
    private struct Page {
        var remaining: ArraySlice<JarSummary>
        let isLast: Bool
        var lookedAt: UInt64 = 0
        var changed: UInt64 = 0
    }

    private static let jarsPerPage = 50
    private static let retryMilliseconds = 500

    private let storage: any JarStorage
    private let rules: CookieRules
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let running = Locked<Set<Run>>([])

    init(
        storage: any JarStorage, rules: CookieRules, clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.storage = storage
        self.rules = rules
        self.clock = clock
        self.logger = logger
    }

    /// Goes on with every rule of a tenant that is not done; those that are under way stay so.
    func resume(_ tenant: TenantID) {
        storage.readTenant(tenant) { [self] result in
            guard let state = try? result.get() else { return }
            for rule in state.syncRules {
                guard let backfill = rule.backfill, backfill.finishedAt == nil else { continue }
                let run = Run(tenant: tenant, rule: rule.name)
                guard running.withLock({ $0.insert(run).inserted }) else { continue }
                nextPage(run)
            }
        }
    }

    private func end(_ run: Run) {
        running.withLock { _ = $0.remove(run) }
    }

    /// Tries again when too much was queued; gives up until the next `resume` otherwise.
    private func fail(_ run: Run, _ error: JarStorageError) {
        guard error == .busy else {
            logger.log(
                .warning, "leave jars to be synced for later",
                ["tenant": .text(run.tenant.description), "rule": .text(run.rule.description)])
            return end(run)
        }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(Self.retryMilliseconds)
        ) { [self] in nextPage(run) }
    }

    private func nextPage(_ run: Run) {
        storage.readTenant(run.tenant) { [self] result in
            switch result {
            case .failure(let error): fail(run, error)
            case .success(let state):
                guard let rule = state.syncRule(run.rule), let backfill = rule.backfill,
                    backfill.finishedAt == nil
                else { return end(run) }
                loadPage(run, backfill)
            }
        }
    }

    private func loadPage(_ run: Run, _ backfill: SyncBackfill) {
        storage.jars(of: run.tenant, after: backfill.lastJar, limit: Self.jarsPerPage) {
            [self] result in
            switch result {
            case .failure(let error): fail(run, error)
            case .success(let jars):
                work(
                    Page(remaining: jars[...], isLast: jars.count < Self.jarsPerPage), run,
                    backfill)
            }
        }
    }

    private func work(_ page: Page, _ run: Run, _ backfill: SyncBackfill) {
        guard let jar = page.remaining.first?.jar else { return save(page, run, backfill) }
        let (rules, now) = (rules, clock())
        changeJar(
            JarAddress(tenant: run.tenant, jar: jar), in: storage, rules: rules, now: now,
            operation: { draft -> Bool in
                guard let rule = draft.tenant.syncRule(run.rule),
                    rule.backfill?.startedAt == backfill.startedAt
                else { return false }
                draft.apply(rule, rules, now: now)
                return !draft.changes.isEmpty
            },
            completion: { [self] result in
                switch result {
                case .failure(.storage(let error)): fail(run, error)
                case .failure: end(run)
                case .success(let changed):
                    var (page, backfill) = (page, backfill)
                    page.remaining = page.remaining.dropFirst()
                    page.lookedAt += 1
                    if changed.answer { page.changed += 1 }
                    backfill.lastJar = jar
                    work(page, run, backfill)
                }
            })
    }

    /// Writes down how far it has come, unless the rule has been changed since.
    private func save(_ page: Page, _ run: Run, _ backfill: SyncBackfill) {
        let now = clock()
        storage.changeRecords(
            of: run.tenant,
            operation: { draft -> Bool in
                guard var rule = draft.syncRule(run.rule), var progress = rule.backfill,
                    progress.startedAt == backfill.startedAt, progress.finishedAt == nil
                else { return false }
                progress.lastJar = backfill.lastJar
                progress.jarCount &+= page.lookedAt
                progress.changedCount &+= page.changed
                if page.isLast { progress.finishedAt = now }
                rule.backfill = progress
                draft.set(rule)
                return true
            },
            completion: { [self] result in
                switch result {
                case .failure(.storage(let error)): fail(run, error)
                case .failure: end(run)
                // A rule that was set anew in between begins anew.
                case .success: nextPage(run)
                }
            })
    }
}
