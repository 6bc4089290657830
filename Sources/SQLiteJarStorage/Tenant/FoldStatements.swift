// SPDX-License-Identifier: Apache-2.0

/// The statements that fold.
///
/// Most take a list of sequences of the log, and put what these rows say in its place, in the order of the list: for one row
/// at a time SQLite would spend more on beginning and ending than on the row.
struct FoldStatements {
    /// Names jars.
    let names: Statement
    /// Brings the jar ?1 to the revision ?2; whether it exists for clients is ?3.
    let revision: Statement
    let stores: Statement
    let cookies: Statement
    /// Finds the changes of a jar; its parameters are those of `ChangeRun`.
    let run: Statement
    let access: Statement
    /// Everything is folded up to ?1.
    let position: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        names = try connection.prepare(
            """
            INSERT INTO jar (id, name, revision, created_at, present)
            SELECT jar, store, 0, at, present FROM \(Self.listed)
            """)
        revision = try connection.prepare(
            "UPDATE jar SET revision = ?2, present = ?3 WHERE id = ?1")
        stores = try connection.prepare(Self.storeRows)
        cookies = try connection.prepare(Self.cookieRows)
        run = try connection.prepare(ChangeRun.insertion)
        access = try connection.prepare(TenantDatabase.access)
        position = try connection.prepare("UPDATE fold SET sequence = ?1")
    }

    /// Runs a statement for a list of sequences.
    static func run(_ statement: Statement, _ sequences: [Int64]) throws(SQLiteError) {
        guard !sequences.isEmpty else { return }
        var list: [UInt8] = [UInt8(ascii: "[")]
        for sequence in sequences {
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += String(sequence).utf8
        }
        list.append(UInt8(ascii: "]"))
        try statement.bind(1, text: list)
        try statement.run()
    }

    /// The rows of the log in the list ?1, in its order.
    private static let listed = """
        (SELECT value AS listed FROM json_each(?1)) CROSS JOIN change WHERE sequence = listed
        """

    /// A cookie makes its store present; settings do so too; a deletion ends both.
    private static let storeRows = """
        INSERT INTO store (jar, name, present, settings)
        SELECT jar, store, kind <> 6, settings FROM \(listed)
        ON CONFLICT (jar, name) DO UPDATE SET
            present = excluded.present,
            settings = CASE WHEN excluded.present = 0 THEN NULL
                ELSE coalesce(excluded.settings, settings) END
            WHERE present <> excluded.present OR excluded.settings IS NOT NULL
        """

    private static let cookieRows: String = {
        let live = ContentColumns.cookieNames.map { "\($0) = excluded.\($0)" }
        // The rule of `JarState.restore` for tombstones.
        let buried = ContentColumns.tombstoneNames.map { name in
            """
            \(name) = CASE
                WHEN excluded.live <> 0 THEN
                    CASE WHEN buried_travels <> 0 AND buried_revision < excluded.version
                    THEN \(name) END
                WHEN coalesce(buried_travels, 0) = 0
                    OR excluded.buried_travels <> 0
                        AND excluded.buried_revision > buried_revision
                THEN excluded.\(name)
                ELSE \(name) END
            """
        }
        return """
            INSERT INTO cookie (
                jar, store, live, \(IdentityColumns.names), \(ContentColumns.names))
            SELECT jar, store, kind IN (1, 2), \(IdentityColumns.names), \(ContentColumns.names)
            FROM \(listed)
            ON CONFLICT (jar, store, domain, name, path, scope, partition_key) DO UPDATE SET
                live = excluded.live, \((live + buried).joined(separator: ", "))
            """
    }()
}
