// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// The open database of one tenant: the one connection that reads, commits and checkpoints it.
final class TenantDatabase {
    let connection: Connection
    /// The statements; nil from the moment it closes.
    private var keptStatements: TenantStatements?
    private let highWaterMark: HighWaterMark
    /// What seals and opens the values.
    let sealing: TenantSealing
    /// How far the values have come to be sealed with the key in use.
    var resealing = ResealPosition.start
    /// The sequence of the newest change.
    private(set) var lastSequence: Int64
    /// The sequence that everything is folded up to.
    private(set) var foldedSequence: Int64
    /// The highest number of a jar.
    private(set) var lastJar: Int64
    /// What is not folded yet.
    private(set) var tail: UnfoldedTail
    /// The tenant's records as of the newest commit.
    private(set) var records: TenantState

    init(
        connection: Connection, statements: TenantStatements,
        highWaterMark: consuming HighWaterMark, position: LogPosition, tail: UnfoldedTail,
        records: TenantState, sealing: TenantSealing
    ) {
        self.connection = connection
        keptStatements = statements
        self.highWaterMark = highWaterMark
        self.sealing = sealing
        lastSequence = position.last
        foldedSequence = position.folded
        lastJar = max(position.lastJar, tail.newJars.values.map(\.number).max() ?? 0)
        self.tail = tail
        self.records = records
    }

    /// The statements that are used all the time.
    var statements: TenantStatements {
        guard let keptStatements else { preconditionFailure("the tenant's database is closed") }
        return keptStatements
    }

    /// The sealing of a jar's values.
    func sealing(of jar: JarID) -> JarSealing { JarSealing(sealing: sealing, jar: jar) }

    /// How many rows of the log are not folded yet.
    var unfoldedCount: Int { Int(lastSequence - foldedSequence) }

    /// Closes the file; fails when a statement is still alive.
    func close() throws(SQLiteError) {
        keptStatements = nil
        try connection.close()
    }

    /// Takes note of rows that have been committed.
    func advance(by rows: CommittedRows) {
        for row in rows.names {
            tail.append(naming: row.name, jar: row.jar, sequence: row.sequence)
        }
        for row in rows.changes {
            tail.append(
                sequence: row.sequence, jar: row.jar, revision: row.revision,
                isPresent: row.isPresent)
        }
        lastSequence = rows.lastSequence
        lastJar = rows.lastJar
    }

    /// Takes note of records that have been committed.
    func adopt(_ state: TenantState) { records = state }

    /// Takes note of rows that have been folded.
    func retire(through sequence: Int64) {
        foldedSequence = sequence
        tail.drop(through: sequence)
    }

    /// Says that everything so far has been committed; failing at it costs only a later check.
    func raiseHighWaterMark() throws(FileError) {
        try highWaterMark.write(lastSequence)
    }
}

/// Where a tenant's log stands.
struct LogPosition {
    let last: Int64
    let folded: Int64
    let lastJar: Int64
}

/// The rows that a transaction added to the log.
struct CommittedRows {
    struct Name {
        let name: JarID
        let jar: Int64
        let sequence: Int64
    }

    struct Row {
        let sequence: Int64
        let jar: Int64
        let revision: Revision
        let isPresent: Bool
    }

    var names: [Name] = []
    var changes: [Row] = []
    var lastSequence: Int64
    var lastJar: Int64
}
