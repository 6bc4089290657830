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
    /// Where the log ends.
    private(set) var end: LogEnd
    /// The sequence that everything is folded up to; of what comes after it, some.
    private(set) var foldedSequence: Int64
    /// What is not folded yet.
    var tail: UnfoldedTail
    /// The statements that fold; nil until they are needed.
    private var keptFolding: FoldStatements?
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
        end = LogEnd(
            sequence: position.last,
            jar: max(position.lastJar, tail.newJars.values.map(\.number).max() ?? 0))
        foldedSequence = position.folded
        self.tail = tail
        self.records = records
    }

    /// The statements that are used all the time.
    var statements: TenantStatements {
        guard let keptStatements else { preconditionFailure("the tenant's database is closed") }
        return keptStatements
    }

    /// The sequence of the newest change.
    var lastSequence: Int64 { end.sequence }
    /// The highest number of a jar.
    var lastJar: Int64 { end.jar }

    /// The sealing of a jar's values.
    func sealing(of jar: JarID) -> JarSealing { JarSealing(sealing: sealing, jar: jar) }

    /// How many rows of the log are not folded yet.
    var unfoldedCount: Int { tail.count }

    /// The statements that fold.
    func foldStatements() throws(SQLiteError) -> FoldStatements {
        if let keptFolding { return keptFolding }
        let prepared = try FoldStatements(connection)
        keptFolding = prepared
        return prepared
    }

    /// Closes the file; fails when a statement is still alive.
    func close() throws(SQLiteError) {
        keptStatements = nil
        keptFolding = nil
        try connection.close()
    }

    /// Takes note of changes that have been committed; answers the numbers that jars got whose first change this was.
    func advance(by commits: [JarCommit]) -> [NewJarNumber] {
        var new: [NewJarNumber] = []
        for commit in commits {
            let place = end.take(commit)
            if let naming = place.naming {
                tail.append(naming: commit.jar, jar: place.jar, sequence: naming)
                new.append(NewJarNumber(name: commit.jar, jar: place.jar))
            }
            for index in commit.changes.indices {
                tail.append(
                    UnfoldedJar.Row(
                        sequence: place.first + Int64(index),
                        revision: commit.changes[index].revision),
                    of: place.jar, commit.jar, isPresent: commit.isPresent,
                    UnfoldedFact(commit.changes[index]), in: commit.changes[index].store)
            }
        }
        return new
    }

    /// Goes on behind rows that were put into the log and the tables at once.
    func moveOn(to end: LogEnd) {
        self.end = end
        foldedSequence = end.sequence
    }

    /// Takes note of records that have been committed.
    func adopt(_ state: TenantState) { records = state }

    /// Takes note that everything is folded up to that sequence.
    func retire(through sequence: Int64) { foldedSequence = sequence }

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

/// The highest numbers that are given away.
struct LogEnd {
    /// Of a row of the log.
    var sequence: Int64
    /// Of a jar.
    var jar: Int64

    /// Where the rows of a commit stand.
    struct Place {
        let jar: Int64
        /// The row with the jar's name, if this is its first change.
        let naming: Int64?
        /// The first of the changes, which follow each other.
        let first: Int64
    }

    /// Gives the next numbers to the rows of a commit.
    mutating func take(_ commit: JarCommit) -> Place {
        let number = commit.number ?? jar + 1
        var naming: Int64?
        if commit.number == nil, !commit.changes.isEmpty {
            jar = number
            sequence += 1
            naming = sequence
        }
        defer { sequence += Int64(commit.changes.count) }
        return Place(jar: number, naming: naming, first: sequence + 1)
    }
}

/// The number that a jar got with its first change.
struct NewJarNumber {
    let name: JarID
    let jar: Int64
}
