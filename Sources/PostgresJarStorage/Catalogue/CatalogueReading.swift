// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

extension KnownCatalogue {
    /// How often it may be overtaken by another thread of this node before it gives up.
    private static let attempts = 8

    /// Brings what is known to where the database is at a moment after the call, and answers with that.
    ///
    /// Complexity: one round trip while it is current, two when it has moved on, three when everything is loaded.
    func refresh(
        on connection: PostgresConnection, until deadline: MonotonicTime
    ) throws(PostgresError) -> CatalogueState {
        for _ in 0..<Self.attempts {
            let time = MonotonicTime.now
            let rows = try connection.askCatalogue(CatalogueStatements.head, until: deadline)
            guard rows.count == 1 else { throw .undecodable("the catalogue's head") }
            let standing = try Standing(rows, 0, from: 0)
            if confirm(standing, askedAt: time) { return state }
            if try catchUp(on: connection, until: deadline) { return state }
        }
        // In each other's way: the same again may well succeed.
        throw .refused("40001", "read catalogue")
    }

    /// Takes what has changed, or everything where that cannot be told; false if another thread was faster.
    func catchUp(
        on connection: PostgresConnection, until deadline: MonotonicTime
    ) throws(PostgresError) -> Bool {
        let base = now.standing
        var time = MonotonicTime.now
        let delta = try CatalogueRows(
            try connection.askCatalogue(CatalogueStatements.delta, until: deadline) {
                $0.integer(base.generation)
            })
        // The known generation is among them, if it is one of this database's and not too long ago.
        if delta.generations.contains(base), delta.standing.generation > base.generation {
            return advance(delta.changes, from: base, to: delta.standing, askedAt: time)
        }
        time = .now
        let all = try CatalogueRows(
            try connection.askCatalogue(CatalogueStatements.load, until: deadline))
        return replace(all, from: base, askedAt: time)
    }
}

extension PostgresConnection {
    /// Asks something of the catalogue, which is opened for it.
    func askCatalogue(
        _ statement: Statement, until deadline: MonotonicTime,
        _ build: (inout Parameters) -> Void = { _ in }
    ) throws(PostgresError) -> QueryResult {
        var script = Script()
        script.add(CatalogueStatements.open)
        let number = script.add(statement, build)
        let exchange = run(script, until: deadline)
        if let failure = exchange.failure { throw failure }
        return exchange.results[number]
    }
}
