// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// The changes of one jar that are to be committed.
struct JarCommit {
    let jar: JarID
    /// Its number; nil when this is its first change.
    let number: Int64?
    let changes: [Change]
    /// Whether it exists for clients afterwards.
    let isPresent: Bool
    /// Answers that are kept in the same transaction.
    var answers: [AnswerRow] = []
}

extension TenantDatabase {
    /// Commits changes of any number of jars, and of the tenant's records, in one transaction, with one sync.
    ///
    /// - Returns: The numbers that jars got whose first change this was.
    @discardableResult
    func commit(
        _ commits: [JarCommit], _ records: TenantCommit? = nil
    ) throws(TransactionError) -> [CommittedRows.Name] {
        var rows = CommittedRows(lastSequence: lastSequence, lastJar: lastJar)
        let reservation = sealing.reservation(
            for: commits.reduce(0) { $0 + $1.changes.count + $1.answers.count })
        try connection.transaction { () throws(SQLiteError) in
            if let reservation { try write(reservation) }
            for commit in commits {
                try insert(commit, &rows)
                for answer in commit.answers { try keep(answer) }
            }
            if let records { try write(records) }
        }
        sealing.note(reservation)
        advance(by: rows)
        if let records { adopt(records.state) }
        return rows.names
    }

    /// Copies the whole log into the database file and starts it anew, after a sync that failed: pages of the log
    /// that were not written then will not be written by a later sync, so nothing may be appended to it.
    func renewLog() throws(SQLiteError) {
        let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)", isKept: false)
        guard try statement.step(), try statement.integer(0) == 0 else {
            throw .undecodable("a checkpoint that did not finish")
        }
    }

    private func insert(_ commit: JarCommit, _ rows: inout CommittedRows) throws(SQLiteError) {
        let number = commit.number ?? rows.lastJar + 1
        if commit.number == nil, let first = commit.changes.first {
            rows.lastJar = number
            rows.lastSequence += 1
            try insert { (statement) throws(SQLiteError) in
                try ChangeRow.bind(
                    naming: commit.jar, at: first.at,
                    ChangeRow.Position(
                        sequence: rows.lastSequence, jar: number, isPresent: commit.isPresent),
                    to: statement)
            }
            rows.names.append(
                CommittedRows.Name(name: commit.jar, jar: number, sequence: rows.lastSequence))
        }
        for change in commit.changes {
            rows.lastSequence += 1
            let position = ChangeRow.Position(
                sequence: rows.lastSequence, jar: number, isPresent: commit.isPresent)
            try insert { (statement) throws(SQLiteError) in
                try ChangeRow.bind(change, position, sealing(of: commit.jar), to: statement)
            }
            rows.changes.append(
                CommittedRows.Row(
                    sequence: rows.lastSequence, jar: number, revision: change.revision,
                    isPresent: commit.isPresent))
        }
    }

    private func insert(
        _ bind: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let statement = statements.insertChange
        try bind(statement)
        try statement.runKeepingBindings()
    }
}
