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
    ) throws(TransactionError) -> [NewJarNumber] {
        var end = end
        let reservation = sealing.reservation(
            for: commits.reduce(0) { $0 + $1.changes.count + $1.answers.count })
        try connection.transaction { () throws(SQLiteError) in
            if let reservation { try write(reservation) }
            for commit in commits {
                try insert(commit, at: end.take(commit))
                for answer in commit.answers { try keep(answer) }
            }
            if let records { try write(records) }
        }
        sealing.note(reservation)
        if let records { adopt(records.state) }
        return advance(by: commits)
    }

    /// Copies the whole log into the database file and starts it anew, after a sync that failed: pages of the log
    /// that were not written then will not be written by a later sync, so nothing may be appended to it.
    func renewLog() throws(SQLiteError) {
        let statement = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)", isKept: false)
        guard try statement.step(), try statement.integer(0) == 0 else {
            throw .undecodable("a checkpoint that did not finish")
        }
    }

    private func insert(_ commit: JarCommit, at place: LogEnd.Place) throws(SQLiteError) {
        let statements = statements
        if let naming = place.naming, let first = commit.changes.first {
            let position = ChangeRow.Position(
                sequence: naming, jar: place.jar, isPresent: commit.isPresent)
            try ChangeRow.bind(
                naming: commit.jar, at: first.at, position, to: statements.insertChange)
            try statements.insertChange.runKeepingBindings()
        }
        let sealing = sealing(of: commit.jar)
        for index in commit.changes.indices {
            let position = ChangeRow.Position(
                sequence: place.first + Int64(index), jar: place.jar, isPresent: commit.isPresent)
            try Self.insert(commit.changes[index], position, sealing, with: statements)
        }
    }

    /// Adds a change's row.
    static func insert(
        _ change: Change, _ position: ChangeRow.Position, _ sealing: JarSealing,
        with statements: TenantStatements
    ) throws(SQLiteError) {
        switch change.content {
        case .added(let cookie):
            try CookieChangeRow.insert(
                cookie, .added, change, position, sealing, with: statements.insertCookieChange)
        case .changed(let cookie):
            try CookieChangeRow.insert(
                cookie, .changed, change, position, sealing, with: statements.insertCookieChange)
        case .removed, .configured, .storeDeleted:
            try ChangeRow.bind(change, position, to: statements.insertChange)
            try statements.insertChange.runKeepingBindings()
        }
    }
}
