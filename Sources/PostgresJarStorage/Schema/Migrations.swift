// SPDX-License-Identifier: Apache-2.0

// The schema `cookiesync`. Every table is keyed by tenant and jar first, so that it can be spread by either.
//
// `jar` holds where each jar stands; its row is what writers lock. `change` is the feed, in the order of revisions that
// were taken under that lock. `cookie` is what a store holds and what it must not take back: `content` is the cookie,
// `tombstone` its standing deletion; a row has at least one of them. `tenant` names who has jars; it alone is not bound
// by row-level security, so that old rows can be looked for. `record` is a tenant's small records beside its jars, and
// `record_head` where they stand.
//
// The catalogue, tenants that were made explicitly and all tokens, is read as a whole by every node, and so only by a
// transaction that has opened it; a row of it is written in the name of its tenant. `catalogue_head` says which generation
// of it is the newest, and is what writers lock; `catalogue_change` what the last generations have changed.
//
// Names of tenants, jars and stores are ASCII and compared as bytes. Everything of a cookie is in `content`, of type
// bytea; `key` is a hash of its identity.
enum Migrations {
    /// The version that this program writes.
    static var currentVersion: Int64 { Int64(all.count) }

    /// The step to each version from the one before, statement by statement.
    ///
    /// Only ever appended to.
    static let all: [[String]] = [version1, version2, version3]

    /// The tables that the role of the running service reads and writes.
    static let tables = [
        "tenant", "jar", "store", "cookie", "change", "record_head", "record", "answer",
        "catalogue_head", "catalogue_tenant", "catalogue_token", "catalogue_change",
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
        ]
        + ["jar", "store", "cookie", "change", "record_head", "record"].flatMap(rowLevelSecurity)

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

    /// Tenants that were made explicitly, and tokens.
    private static let version3 =
        [
            """
            CREATE TABLE cookiesync.catalogue_head (
                one bool PRIMARY KEY DEFAULT true CHECK (one),
                generation int8 NOT NULL,
                stamp int8 NOT NULL,
                pepper_check bytea
            )
            """,
            "INSERT INTO cookiesync.catalogue_head (generation, stamp) VALUES (0, 0)",
            """
            CREATE TABLE cookiesync.catalogue_tenant (
                tenant text COLLATE "C" PRIMARY KEY,
                created_at int8 NOT NULL,
                byte_limit int8,
                rate_limit int8,
                deleting bool NOT NULL
            )
            """,
            """
            CREATE TABLE cookiesync.catalogue_token (
                tenant text COLLATE "C" NOT NULL,
                id text COLLATE "C" NOT NULL,
                name bytea NOT NULL,
                scopes int8 NOT NULL,
                jars text COLLATE "C" NOT NULL,
                stores text COLLATE "C" NOT NULL,
                rate_limit int8,
                created_at int8 NOT NULL,
                expires_at int8 NOT NULL,
                digest bytea NOT NULL,
                overlap_digest bytea,
                overlap_until int8,
                last_use int8 NOT NULL,
                PRIMARY KEY (tenant, id)
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE cookiesync.catalogue_change (
                generation int8 NOT NULL,
                number int8 NOT NULL,
                stamp int8 NOT NULL,
                tenant text COLLATE "C" NOT NULL,
                token text COLLATE "C" NOT NULL,
                PRIMARY KEY (generation, number)
            )
            """,
        ]
        + ["catalogue_tenant", "catalogue_token", "catalogue_change"].flatMap(catalogueSecurity)
        + [
            """
            CREATE POLICY trimming ON cookiesync.catalogue_change FOR DELETE
            USING (current_setting('cookiesync.catalogue', true) = 'open')
            """,
            // A write in a tenant's name sees whether the tenant is there.
            """
            CREATE POLICY own_tenant ON cookiesync.catalogue_tenant FOR SELECT
            USING (tenant = current_setting('cookiesync.tenant', true))
            """,
        ]

    /// Binds every role to what a transaction has opened, for reading, and to the tenant that it has named, for writing.
    private static func catalogueSecurity(_ table: String) -> [String] {
        let own = "(tenant = current_setting('cookiesync.tenant', true))"
        return [
            "ALTER TABLE cookiesync.\(table) ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE cookiesync.\(table) FORCE ROW LEVEL SECURITY",
            """
            CREATE POLICY reading ON cookiesync.\(table) FOR SELECT
            USING (current_setting('cookiesync.catalogue', true) = 'open')
            """,
            "CREATE POLICY making ON cookiesync.\(table) FOR INSERT WITH CHECK \(own)",
            "CREATE POLICY changing ON cookiesync.\(table) FOR UPDATE USING \(own)",
            "CREATE POLICY removing ON cookiesync.\(table) FOR DELETE USING \(own)",
        ]
    }

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
