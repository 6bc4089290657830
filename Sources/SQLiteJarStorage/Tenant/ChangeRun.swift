// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// The rows of `jar_change`: where the changes of one jar are in the log.
///
/// A row stands for a run of changes that were folded together. It is found by the revision of the last one; the ones
/// before it are in `earlier`, the nearest first, each as how much lower its revision and its sequence are than those of
/// the one after it. When the last one is dropped from the log the run goes as well; of those that went before it, a
/// feed asks for none.
enum ChangeRun {
    static let insertion = """
        INSERT INTO jar_change (jar, revision, sequence, earlier) VALUES (?1, ?2, ?3, ?4)
        """
    /// The runs of the jar ?1 that hold changes after the revision ?2; each holds one at least.
    static let selection = """
        SELECT revision, sequence, earlier FROM jar_change WHERE jar = ?1 AND revision > ?2
        ORDER BY revision LIMIT ?3
        """

    /// How many changes a run has at most.
    private static let limit = 256

    /// Adds the runs of changes of a jar, which are in order.
    static func insert(
        _ rows: ArraySlice<UnfoldedJar.Row>, of jar: Int64, with statement: Statement
    ) throws(SQLiteError) {
        for start in stride(from: rows.startIndex, to: rows.endIndex, by: limit) {
            let run = rows[start..<min(start + limit, rows.endIndex)]
            guard let last = run.last else { continue }
            try statement.bind(1, jar)
            try statement.bind(2, Int64(bitPattern: last.revision.rawValue))
            try statement.bind(3, last.sequence)
            try statement.bind(4, run.count == 1 ? nil : try encode(run))
            try statement.runKeepingBindings()
        }
    }

    /// The sequences in a row of `selection` whose revisions are higher than that one, in order.
    static func sequences(
        in row: borrowing Statement, after revision: Revision
    ) throws(SQLiteError) -> [Int64] {
        var current = UInt64(bitPattern: try row.integer(0))
        var sequence = try row.integer(1)
        var found = [sequence]
        var earlier = try row.optionalBytes(2)?[...] ?? []
        while !earlier.isEmpty {
            guard let lower = take(&earlier), let before = take(&earlier),
                1...current ~= lower, let distance = Int64(exactly: before), distance > 0,
                distance < sequence
            else { throw .undecodable("a run of changes") }
            current -= lower
            guard current > revision.rawValue else { break }
            sequence -= distance
            found.append(sequence)
        }
        return found.reversed()
    }

    private static func encode(
        _ run: ArraySlice<UnfoldedJar.Row>
    ) throws(SQLiteError) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(run.count * 4)
        for (row, next) in zip(run, run.dropFirst()).reversed() {
            let lower = next.revision.rawValue.subtractingReportingOverflow(row.revision.rawValue)
            let distance = next.sequence.subtractingReportingOverflow(row.sequence)
            guard !lower.overflow, !distance.overflow, distance.partialValue > 0 else {
                throw .undecodable("the order of changes")
            }
            append(lower.partialValue, to: &octets)
            append(UInt64(distance.partialValue), to: &octets)
        }
        return octets
    }

    /// Seven bits in each octet, the lowest first; the highest bit says that more follow.
    private static func append(_ number: UInt64, to octets: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        octets.append(UInt8(rest))
    }

    private static func take(_ octets: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let octet = octets.popFirst() else { return nil }
            number |= UInt64(octet & 0x7F) << shift
            if octet < 0x80 { return number }
        }
        return nil
    }
}
