// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The changes of the catalogue that a lane has taken: one transaction, in which the catalogue's head is locked before the
/// operations see the state.
///
/// Changes are rare, so they may queue; in return no operation is ever run on what another node has changed meanwhile.
struct CatalogueRound {
    private typealias Standing = CatalogueRows.Standing

    /// A call, with what its operation gave.
    private struct Call {
        let complete: Job.Completion<Void>
        /// Whether it has changed tokens, which other nodes go by until the next time they look.
        let concernsTokens: Bool
    }

    private let connection: PostgresConnection
    private let context: LaneContext
    private let deadline: MonotonicTime
    private var jobs: [Job] = []

    init(
        _ connection: PostgresConnection, _ context: LaneContext, until deadline: MonotonicTime
    ) {
        self.connection = connection
        self.context = context
        self.deadline = deadline
    }

    mutating func add(_ job: Job) { jobs.append(job) }

    /// Completes the calls; answers those that are to be done once more on another connection.
    func run() -> [Job] {
        guard !jobs.isEmpty else { return [] }
        let base: KnownCatalogue.Content
        do throws(PostgresError) {
            guard connection.isUsable else { throw .lost("lock catalogue") }
            base = try lock()
        } catch {
            rollBack()
            return jobs.compactMap { context.refuse($0, error) }
        }
        var draft = CatalogueDraft(base.state)
        let calls = jobs.compactMap { run($0, on: &draft) }
        guard !draft.changes.isEmpty else {
            rollBack()
            for call in calls { call.complete(.success(())) }
            return []
        }
        return commit(draft, calls, on: base.standing)
    }

    /// Locks the catalogue's head, and answers with the state as it is until the end of the transaction.
    private func lock() throws(PostgresError) -> KnownCatalogue.Content {
        let time = MonotonicTime.now
        var script = Script()
        script.add(Statements.begin)
        script.add(CatalogueStatements.open)
        let number = script.add(CatalogueStatements.lock)
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure { throw failure }
        let rows = exchange.results[number]
        guard rows.count == 1 else { throw .undecodable("the catalogue's head") }
        let standing = try Standing(rows, 0, from: 0)
        // As nobody can commit now, the watch can at most be faster to find out what has been committed.
        while !context.catalogue.confirm(standing, askedAt: time) {
            _ = try context.catalogue.catchUp(on: connection, until: deadline)
        }
        return context.catalogue.now
    }

    private func run(_ job: Job, on draft: inout CatalogueDraft) -> Call? {
        guard case .writeCatalogue(let operation, _) = job.kind else { return nil }
        let before = draft.changes.count
        let complete = operation(&draft)
        return Call(
            complete: complete,
            concernsTokens: draft.changes[before...].contains { $0.concernsToken })
    }

    private func commit(_ draft: CatalogueDraft, _ calls: [Call], on base: Standing) -> [Job] {
        let time = MonotonicTime.now
        var script = Script()
        let next = script.add(draft.changes, on: base)
        let commitNumber = script.add(Statements.commit)
        let exchange = connection.run(script, until: deadline)
        if let failure = exchange.failure {
            return fail(failure, mayBeDone: exchange.results.count >= commitNumber)
        }
        _ = context.catalogue.advance(draft.changes, from: base, to: next, askedAt: time)
        settle(calls, exchange.hasWarning ? .failure(.inDoubt) : .success(()))
        return []
    }

    /// Completes the calls: what has changed tokens when every node goes by the change.
    private func settle(_ calls: [Call], _ result: Result<Void, JarStorageError>) {
        let late = calls.filter(\.concernsTokens)
        for call in calls where !call.concernsTokens { call.complete(result) }
        guard !late.isEmpty else { return }
        context.later(KnownCatalogue.settlingMilliseconds) {
            for call in late { call.complete(result) }
        }
    }

    private func fail(_ failure: PostgresError, mayBeDone: Bool) -> [Job] {
        rollBack()
        guard !connection.isUsable, failure.kind == .lost || mayBeDone else {
            return jobs.compactMap { context.refuse($0, failure) }
        }
        // Nobody knows whether it was committed; the watch will find out what there is.
        context.health.report(failure)
        for job in jobs { job.refuse(.inDoubt) }
        return []
    }

    private func rollBack() {
        guard connection.isUsable else { return }
        var script = Script()
        script.add(Statements.rollback)
        _ = connection.run(script, until: deadline)
    }
}

extension Script {
    /// Adds changes as the generation after `base`, with what they are followed by; answers with it.
    ///
    /// The catalogue is to be open, and its head locked. `lastUses` are of tokens that come from elsewhere.
    mutating func add(
        _ changes: [CatalogueChange], on base: CatalogueRows.Standing,
        lastUses: [TokenID: Int64] = [:]
    ) -> CatalogueRows.Standing {
        let next = CatalogueRows.Standing(
            generation: base.generation + 1, stamp: .random(in: .min ... .max))
        for (index, change) in changes.enumerated() {
            add(change, lastUse: change.token.flatMap { lastUses[$0] } ?? 0)
            add(CatalogueStatements.note) { parameters in
                parameters.integer(next.generation)
                parameters.integer(Int64(index))
                parameters.integer(next.stamp)
                parameters.octets(change.tenant.bytes)
                parameters.octets(change.token?.bytes ?? [])
            }
        }
        add(CatalogueStatements.trim) {
            $0.integer(next.generation - CatalogueStatements.keptGenerations)
        }
        add(CatalogueStatements.advance) { parameters in
            parameters.integer(next.generation)
            parameters.integer(next.stamp)
        }
        return next
    }
}

extension CatalogueChange {
    fileprivate var token: TokenID? {
        switch self {
        case .putToken(let record): record.id
        case .removeToken(let id, _): id
        case .putTenant, .removeTenant: nil
        }
    }

    fileprivate var concernsToken: Bool { token != nil }
}
