// SPDX-License-Identifier: Apache-2.0

import JarStorage

extension TenantDatabase {
    /// The changes of a jar after a revision: those that are folded by the index, then the rest of the log.
    ///
    /// Complexity: O(changes of the page), and what the log holds of the jar that is not folded.
    func changes(
        of jar: JarID, since: Revision, limit: Int
    ) throws(SQLiteError) -> ChangePage {
        guard let (number, folded) = try position(of: jar) else { return .empty }
        let newest = tail.jars[number]?.revision ?? folded
        let floor = try floor(of: number)
        var changes: [Change] = []
        if since >= floor, since < newest {
            if since < folded {
                changes = try foldedChanges(
                    of: number, since: since, limit: limit, sealing(of: jar))
            }
            for row in tail.jars[number]?.rows ?? []
            where changes.count < limit && row.revision > since {
                changes.append(try change(row.sequence, sealing(of: jar)))
            }
        }
        return ChangePage(changes: changes, floor: floor, newest: newest)
    }

    private func floor(of number: Int64) throws(SQLiteError) -> Revision {
        let statement = try connection.prepare(
            "SELECT floor FROM jar WHERE id = ?1", isKept: false)
        try statement.bind(1, number)
        guard try statement.step() else { return .zero }
        return Revision(rawValue: UInt64(bitPattern: try statement.integer(0)))
    }

    private func foldedChanges(
        of number: Int64, since: Revision, limit: Int, _ sealing: JarSealing
    ) throws(SQLiteError) -> [Change] {
        let statement = try connection.prepare(ChangeRun.selection, isKept: false)
        try statement.bind(1, number)
        try statement.bind(2, Int64(bitPattern: since.rawValue))
        try statement.bind(3, Int64(limit))
        var changes: [Change] = []
        while changes.count < limit, try statement.step() {
            for sequence in try ChangeRun.sequences(in: statement, after: since).prefix(
                limit - changes.count)
            {
                changes.append(try change(sequence, sealing))
            }
        }
        return changes
    }
}
