// SPDX-License-Identifier: Apache-2.0

// The schema `cookiesync`. Every table is keyed by tenant and jar first, so that it can be spread by either.
//
// `jar` holds where each jar stands; its row is what writers lock. `change` is the feed, in the order of revisions that
// were taken under that lock. `cookie` is what a store holds and what it must not take back: `content` is the cookie,
// `tombstone` its standing deletion; a row has at least one of them. `tenant` names who has jars; it alone is not bound
// by row-level security, so that old rows can be looked for. `record` is a tenant's small records beside its jars, and
// `record_head` where they stand.
//
// Names of tenants, jars and stores are ASCII and compared as bytes. Everything of a cookie is in `content`, of type
// bytea; `key` is a hash of its identity.
enum Migrations {
    /// The version that this program writes.
    static var currentVersion: Int64 { Int64(all.count) }

    /// The step to each version from the one before, statement by statement.
    ///
    /// Only ever appended to.
    static let all: [[String]] = [version1, version2]

    /// The tables that the role of the running service reads and writes.
    static let tables = [
        "tenant", "jar", "store", "cookie", "change", "record_head", "record", "answer",
    ]

    private static let version1 =
        [
            """
            CREATE TABLE cookiesync.tenant (
                tenant text COLLATE "C" PRIMARY KEY,
                swept_at int8 NOT NULL DEFAULT 0
            )
            """,
            """
            CREATE TABLE cookiesync.jar (
                tenant text COLLATE "C" NOT NULL,
                jar text COLLATE "C" NOT NULL,
                revision int8 NOT NULL,
                stamp int8 NOT NULL,
                floor int8 NOT NULL DEFAULT 0,
                created_at int8 NOT NULL,
                present bool NOT NULL,
                PRIMARY KEY (tenant, jar)
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE cookiesync.store (
                tenant text COLLATE "C" NOT NULL,
                jar text COLLATE "C" NOT NULL,
                store text COLLATE "C" NOT NULL,
                present bool NOT NULL,
                settings bytea,
                PRIMARY KEY (tenant, jar, store)
            )
            """,
            """
            CREATE TABLE cookiesync.cookie (
                tenant text COLLATE "C" NOT NULL,
                jar text COLLATE "C" NOT NULL,
                key bytea NOT NULL,
                store text COLLATE "C" NOT NULL,
                expires int8,
                content bytea,
                tombstone bytea,
                PRIMARY KEY (tenant, jar, key)
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE cookiesync.change (
                tenant text COLLATE "C" NOT NULL,
                jar text COLLATE "C" NOT NULL,
                revision int8 NOT NULL,
                stamp int8 NOT NULL,
                at int8 NOT NULL,
                kind int2 NOT NULL,
                cause int2 NOT NULL,
                store text COLLATE "C" NOT NULL,
                content bytea NOT NULL,
                PRIMARY KEY (tenant, jar, revision)
            )
            """,
            """
            CREATE TABLE cookiesync.record_head (
                tenant text COLLATE "C" PRIMARY KEY,
                revision int8 NOT NULL,
                stamp int8 NOT NULL
            )
            """,
            """
            CREATE TABLE cookiesync.record (
                tenant text COLLATE "C" NOT NULL,
                kind int2 NOT NULL,
                name bytea NOT NULL,
                body bytea NOT NULL,
                PRIMARY KEY (tenant, kind, name)
            )
            """,
        ] + tables.dropFirst().dropLast().flatMap(rowLevelSecurity)

    /// What was answered to writes that take effect once, by their keys.
    private static let version2 =
        [
            """
            CREATE TABLE cookiesync.answer (
                tenant text COLLATE "C" NOT NULL,
                key bytea NOT NULL,
                fingerprint bytea NOT NULL,
                body bytea,
                expires int8 NOT NULL,
                PRIMARY KEY (tenant, key)
            )
            """,
            "CREATE INDEX answer_expiry ON cookiesync.answer (tenant, expires)",
        ] + rowLevelSecurity("answer")

    /// Binds every role, the table's owner included, to the rows of the tenant that the transaction has named; without
    /// a name there are none.
    private static func rowLevelSecurity(_ table: String) -> [String] {
        [
            "ALTER TABLE cookiesync.\(table) ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE cookiesync.\(table) FORCE ROW LEVEL SECURITY",
            """
            CREATE POLICY own_tenant ON cookiesync.\(table)
            USING (tenant = current_setting('cookiesync.tenant', true))
            """,
        ]
    }
}
