// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Synchronization

/// A thread with a connection of its own that sees several times a second whether the catalogue is still as it is known,
/// with one query for all of it, and now and then writes down when tokens were used.
///
/// A connection of its own, so that neither a hot queue nor a slow commit makes the node doubt its tokens.
///
/// `@unchecked Sendable`: `noted`, `newestUse` and `nextUses` are used by the one thread; the rest is `Sendable` itself.
final class CatalogueWatch: @unchecked Sendable {
    private static let pauseMilliseconds = 250
    /// For how long the database may take to answer; then another connection is tried.
    private static let askMilliseconds = 2_000
    private static let useMilliseconds = 60_000
    /// How far the clocks of two nodes may be apart without one missing what the other writes down.
    private static let clockMilliseconds: Int64 = 300_000

    private let known: KnownCatalogue
    private let info: ConnectionInfo
    private let health: EngineHealth
    private let bell: EventDescriptor
    private let askLane: @Sendable () -> Void
    private let isClosing = Atomic(false)
    /// The time of last use of each token that the database has.
    private var noted: [TokenID: Int64] = [:]
    private var newestUse: Int64 = 0
    private var nextUses = MonotonicTime.now.adding(milliseconds: useMilliseconds)

    /// A watch of what is known; `askLane` has a lane look at the catalogue, where the server has no connection to spare.
    init(
        _ known: KnownCatalogue, _ info: ConnectionInfo, _ health: EngineHealth,
        bell: EventDescriptor, askLane: @escaping @Sendable () -> Void
    ) {
        self.known = known
        self.info = info
        self.health = health
        self.bell = bell
        self.askLane = askLane
    }

    /// Ends the thread.
    func close() {
        isClosing.store(true, ordering: .relaxed)
        bell.ring()
    }

    private var isOpen: Bool { !isClosing.load(ordering: .relaxed) }

    /// The thread's whole life.
    func work() {
        while isOpen {
            do throws(PostgresError) {
                let connection = try LaneContext.open(
                    info, statements: CatalogueStatements.watching, health)
                try watch(on: connection)
            } catch {
                health.report(error)
                guard isOpen else { return }
                askLane()
                _ = bell.wait(beside: nil, milliseconds: Int32(Self.pauseMilliseconds))
            }
        }
    }

    private func watch(on connection: PostgresConnection) throws(PostgresError) {
        while isOpen {
            let next = MonotonicTime.now.adding(milliseconds: Self.pauseMilliseconds)
            _ = try known.refresh(on: connection, until: deadline)
            if nextUses < .now {
                try exchangeUses(on: connection, step: Int64(Self.useMilliseconds))
                nextUses = .now.adding(milliseconds: Self.useMilliseconds)
            }
            let rest = next.milliseconds - MonotonicTime.now.milliseconds
            if rest > 0, isOpen { _ = bell.wait(beside: nil, milliseconds: Int32(clamping: rest)) }
        }
        // What is lost with the connection is a minute of when tokens were used last.
        try exchangeUses(on: connection, step: 1)
    }

    private var deadline: MonotonicTime { .now.adding(milliseconds: Self.askMilliseconds) }

    /// Writes down the times of last use that have moved by a minute, or all that have moved, and learns of those on
    /// other nodes.
    private func exchangeUses(
        on connection: PostgresConnection, step: Int64
    ) throws(PostgresError) {
        let entries = known.state.tokens
        let moved = entries.filter { entry in
            entry.use.lastUse.load(ordering: .relaxed) >= noted[entry.record.id, default: 0] + step
        }
        for (tenant, entries) in Dictionary(grouping: moved, by: \.record.tenant) {
            var script = Script()
            script.add(CatalogueStatements.open)
            script.enter(tenant.bytes)
            let uses = entries.map { $0.use.lastUse.load(ordering: .relaxed) }
            script.add(CatalogueStatements.noteUses) { parameters in
                parameters.octets(tenant.bytes)
                parameters.texts(entries.map(\.record.id.bytes))
                parameters.integers(uses)
            }
            if let failure = connection.run(script, until: deadline).failure { throw failure }
            for (entry, use) in zip(entries, uses) { noted[entry.record.id] = use }
        }
        try learnUses(on: connection)
        noted = noted.filter { known.state.token($0.key) != nil }
    }

    private func learnUses(on connection: PostgresConnection) throws(PostgresError) {
        let since = newestUse - Self.clockMilliseconds
        let rows = try connection.askCatalogue(CatalogueStatements.uses, until: deadline) {
            $0.integer(max(1, since))
        }
        let state = known.state
        for row in 0..<rows.count {
            let (id, use) = (try rows.token(row, 0), try rows.integer(row, 1))
            guard let entry = state.token(id) else { continue }
            entry.use.lastUse.max(use, ordering: .relaxed)
            noted[id] = max(use, noted[id] ?? 0)
            newestUse = max(newestUse, use)
        }
    }
}
