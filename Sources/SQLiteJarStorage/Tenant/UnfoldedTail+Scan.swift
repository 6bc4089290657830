// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

extension UnfoldedTail {
    /// What the log of a database holds beyond that sequence and is not folded.
    ///
    /// Jars are folded one after the other, each up to the revision that its row has.
    init(scanning connection: Connection, beyond folded: Int64) throws(SQLiteError) {
        self.init()
        let scan = try connection.prepare(Self.scan, isKept: false)
        try scan.bind(1, folded)
        // The jars that the log names.
        var names: [Int64: JarID] = [:]
        try scan.forEachRow { (row) throws(SQLiteError) in
            let (sequence, number) = (try row.integer(0), try row.integer(1))
            guard let kind = ChangeRowKind(rawValue: try row.integer(4)) else {
                throw .undecodable("a change")
            }
            if kind == .jar {
                guard let name = JarID(try row.bytes(5)), jars[number] == nil else {
                    throw .undecodable("a jar")
                }
                names[number] = name
                append(naming: name, jar: number, sequence: sequence)
                return
            }
            var name = names[number]
            if name == nil { name = JarID(try row.bytes(6)) }
            let revision = try row.integer(2)
            guard let name, let store = StoreID(try row.bytes(5)), revision > 0,
                jars[number].map({ $0.revision.rawValue < UInt64(revision) }) ?? true
            else { throw .undecodable("a change") }
            append(
                UnfoldedJar.Row(
                    sequence: sequence, revision: Revision(rawValue: UInt64(revision))),
                of: number, name, isPresent: try row.integer(3) != 0,
                try Self.fact(of: kind, in: store, row), in: store)
        }
    }

    private static let scan = """
        SELECT sequence, jar, change.revision, change.present, kind, store, jar.name,
            version, length(value), \(IdentityColumns.qualifiedNames)
        FROM change LEFT JOIN jar ON jar.id = change.jar
        WHERE sequence > ?1 AND (jar.id IS NULL OR change.revision > jar.revision)
        ORDER BY sequence
        """

    private static func fact(
        of kind: ChangeRowKind, in store: StoreID, _ row: borrowing Statement
    ) throws(SQLiteError) -> UnfoldedFact {
        switch kind {
        case .jar: throw .undecodable("a change")
        case .configured: return .configured
        case .storeDeleted: return .storeDeleted
        case .added, .changed, .removed, .buried:
            let (revision, version) = (try row.integer(2), try row.optionalInteger(7))
            return UnfoldedFact(
                try IdentityColumns.read(from: 9, in: row), in: store, kind: kind,
                isPlain: version == revision,
                valueOctets: Int(try row.optionalInteger(8) ?? 0))
        }
    }
}
