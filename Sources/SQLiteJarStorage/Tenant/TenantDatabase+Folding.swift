// SPDX-License-Identifier: Apache-2.0

// Folding: rows of the log move into the keyed tables, a bounded number in one transaction, jar by jar. Of one cookie's
// rows the last wins, and those before it are not even read: which ones are needed is known in memory.
//
// Each jar says up to which of its revisions it is folded. So folding is a cache of the log in another order: cut short
// between two transactions, it goes on there.
//
// When cookies of these jars were last used is written along with it.

import Cookies
import JarStorage

extension TenantDatabase {
    /// Folds some of the log: about `limit` rows of the tables, and what holds about `octets` octets; false when there
    /// was nothing to do.
    ///
    /// `current` knows the newest state of a jar, if it is in memory.
    func fold(
        limit: Int, octets: Int = .max, current: (JarID) -> JarState? = { _ in nil }
    ) throws(TransactionError) -> Bool {
        guard tail.count > 0 else { return false }
        let parts = tail.next(limit: max(1, limit), octets: max(1, octets))
        guard !parts.isEmpty else { return false }
        let position = position(after: parts)
        try connection.transaction { () throws(SQLiteError) in
            let statements = try foldStatements()
            try fold(parts, statements)
            try writeAccesses(of: parts, limit: limit, current, statements)
            if let position {
                try statements.position.bind(1, position)
                try statements.position.runKeepingBindings()
            }
        }
        tail.drop(parts)
        if let position { retire(through: position) }
        return true
    }

    /// Folds everything.
    func foldAll() throws(TransactionError) {
        while try fold(limit: 4096, octets: 1 << 22) {}
    }

    /// Up to where everything is folded with these parts; nil within a round, in which it is not looked for.
    private func position(after parts: [FoldPart]) -> Int64? {
        guard tail.isBetweenRounds else { return nil }
        return tail.first(after: parts).map { $0 - 1 } ?? lastSequence
    }

    private func fold(_ parts: [FoldPart], _ statements: FoldStatements) throws(SQLiteError) {
        try FoldStatements.run(statements.names, parts.compactMap(\.naming))
        try FoldStatements.run(statements.stores, parts.flatMap(\.stores))
        try FoldStatements.run(statements.cookies, parts.flatMap(\.cookies))
        for part in parts { try ChangeRun.insert(part.rows, of: part.number, with: statements.run) }
        for part in parts {
            guard let last = part.rows.last else { continue }
            try statements.revision.bind(1, part.number)
            try statements.revision.bind(2, Int64(bitPattern: last.revision.rawValue))
            try statements.revision.bind(3, part.isPresent ? 1 : 0)
            try statements.revision.runKeepingBindings()
        }
    }

    /// Writes when the cookies of jars were last used of which nothing is left to be folded, at most `limit` of them: the
    /// rows that were folded may say an earlier time.
    private func writeAccesses(
        of parts: [FoldPart], limit: Int, _ current: (JarID) -> JarState?,
        _ statements: FoldStatements
    ) throws(SQLiteError) {
        var rest = limit
        for part in parts where part.isWhole && rest > 0 {
            guard let state = current(part.name) else { continue }
            rest -= try writeAccesses(
                of: state, jar: part.number, limit: rest, with: statements.access)
        }
    }
}
