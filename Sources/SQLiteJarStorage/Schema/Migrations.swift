// SPDX-License-Identifier: Apache-2.0

// The database of a tenant.
//
// `change` is the write path and the feed: rows in sequence, which share pages, so that many fit under one sync.
// A row of kind `jar` names a jar; every other row is one `Change` of a jar. Everything else is folded from
// it, jar by jar in the order of its keys: `cookie` (what a store holds and what it must not take back), `store`,
// `jar`, and `jar_change`, which finds the rows of one jar. A jar is folded up to the revision in its row, every jar at
// least up to the sequence in `fold`; it is its rows there plus its rows of `change` beyond that.
//
// `record` and `tenant` stand beside all that: the tenant's records are few, and are written where they lie.
//
// A removal leaves `live` 0 and the `buried_` columns; a deletion that was meant stays in them beside a newer
// cookie (`JarState.restore`). Names, domains, paths, values are BLOBs: octets, in the encoding they came in.
enum Migrations {
    /// "cksy": what `PRAGMA application_id` answers.
    static let applicationID: Int64 = 0x636B_7379

    /// The version that this program writes.
    static var currentVersion: Int64 { Int64(all.count) }

    /// The step to each version from the one before.
    ///
    /// Only ever appended to.
    static let all: [String] = [version1, version2, version3, version4, version5, version6]

    /// Hardly any row has them, and a column that is NULL at the end of a row takes an octet.
    private static let version3 = """
        ALTER TABLE change ADD COLUMN legacy BLOB;
        ALTER TABLE cookie ADD COLUMN legacy BLOB
        """

    /// A row may stand for more changes than one: `ChangeRun`.
    private static let version6 = "ALTER TABLE jar_change ADD COLUMN earlier BLOB"

    private static let cookieColumns = """
        value BLOB, attributes INTEGER, expires INTEGER, created_at INTEGER,
        creation_order INTEGER, updated_at INTEGER, version INTEGER, last_access INTEGER,
        buried_revision INTEGER, buried_at INTEGER, buried_cause INTEGER, buried_travels INTEGER
        """

    private static let version1 = """
        CREATE TABLE change (
            sequence INTEGER PRIMARY KEY,
            jar INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            at INTEGER NOT NULL,
            present INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            cause INTEGER NOT NULL,
            store BLOB NOT NULL,
            settings BLOB,
            domain BLOB, name BLOB, path BLOB, scope INTEGER, partition_key BLOB,
            \(cookieColumns)
        ) STRICT;
        CREATE TABLE jar (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            revision INTEGER NOT NULL,
            floor INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            present INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE store (
            jar INTEGER NOT NULL,
            name BLOB NOT NULL,
            present INTEGER NOT NULL,
            settings BLOB,
            PRIMARY KEY (jar, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE cookie (
            jar INTEGER NOT NULL,
            store BLOB NOT NULL,
            domain BLOB NOT NULL, name BLOB NOT NULL, path BLOB NOT NULL,
            scope INTEGER NOT NULL, partition_key BLOB NOT NULL,
            live INTEGER NOT NULL,
            \(cookieColumns),
            PRIMARY KEY (jar, store, domain, name, path, scope, partition_key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE jar_change (
            jar INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (jar, revision)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE fold (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL
        ) STRICT;
        INSERT INTO fold (id, sequence) VALUES (1, 0);
        """

    /// The tenant's records: octets by kind and name, and the number of changes that they have seen.
    private static let version2 = """
        CREATE TABLE record (
            kind INTEGER NOT NULL,
            name BLOB NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE tenant (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            revision INTEGER NOT NULL
        ) STRICT;
        INSERT INTO tenant (id, revision) VALUES (1, 0);
        """

    /// The tenant's data keys, wrapped.
    ///
    /// The one with the highest number seals. Where there is none, values are stored as they are.
    private static let version4 = """
        CREATE TABLE data_key (
            id INTEGER PRIMARY KEY,
            created_at INTEGER NOT NULL,
            complete INTEGER NOT NULL,
            seals INTEGER NOT NULL,
            wrapped BLOB NOT NULL
        ) STRICT;
        """

    /// The answers of writes that take effect once, by the keys that their callers gave them.
    private static let version5 = """
        CREATE TABLE answer (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            fingerprint BLOB NOT NULL,
            expires INTEGER NOT NULL,
            body BLOB NOT NULL,
            sealed INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX answer_expires ON answer (expires);
        """
}
