// SPDX-License-Identifier: Apache-2.0

/// Every statement that runs while the service does; plain SQL, and each names the tenant.
enum Statements {
    /// What a connection prepares.
    static let all =
        [
            enter, begin, commit, rollback, check, lock, load, delta, list, changes, create, update,
            checkTenant, loadTenant, createTenant, updateTenant, takeTenant, sweepPage, compact,
            takeKey, keepAnswer, dropAnswers,
            usage, deleteTenant,
        ] + CatalogueStatements.all

    /// The settings of a session: bounds for everything that may wait, and no commit before its durability.
    static let configure = Statement(
        name: "",
        sql: """
            SELECT set_config('statement_timeout', '5000', false),
                set_config('lock_timeout', '2000', false),
                set_config('idle_in_transaction_session_timeout', '10000', false),
                set_config('default_transaction_isolation', 'read committed', false),
                set_config('synchronous_commit',
                    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                    ELSE current_setting('synchronous_commit') END, false)
            """)
    static let enter = Statement(
        name: "enter", sql: "SELECT set_config('cookiesync.tenant', $1, true)")
    static let begin = Statement(name: "begin", sql: "BEGIN")
    static let commit = Statement(name: "commit", sql: "COMMIT")
    static let rollback = Statement(name: "rollback", sql: "ROLLBACK")

    /// Where jars stand.
    static let check = Statement(
        name: "check",
        sql: """
            SELECT jar, revision, stamp FROM cookiesync.jar
            WHERE tenant = $1 AND jar = ANY ($2::text[])
            """)
    /// The same for one jar, whose row is held from then on.
    static let lock = Statement(
        name: "lock",
        sql: "SELECT revision FROM cookiesync.jar WHERE tenant = $1 AND jar = $2 FOR UPDATE")
    /// A jar as of one moment: a row of part 0, one of part 1 for each store, one of part 2 for each cookie.
    static let load = Statement(
        name: "load",
        sql: """
            SELECT 0::int2, revision, stamp, created_at, false, NULL::text, NULL::bytea, NULL::bytea
            FROM cookiesync.jar WHERE tenant = $1 AND jar = $2
            UNION ALL
            SELECT 1::int2, 0::int8, 0::int8, 0::int8, present, store, settings, NULL::bytea
            FROM cookiesync.store WHERE tenant = $1 AND jar = $2
            UNION ALL
            SELECT 2::int2, 0::int8, 0::int8, 0::int8, false, store, content, tombstone
            FROM cookiesync.cookie WHERE tenant = $1 AND jar = $2
            """)
    private static let changeColumns = "revision, stamp, at, kind, cause, store, content"
    /// The changes of a jar from a revision on, that one included.
    static let delta = Statement(
        name: "delta",
        sql: """
            SELECT \(changeColumns) FROM cookiesync.change
            WHERE tenant = $1 AND jar = $2 AND revision >= $3 ORDER BY revision LIMIT $4
            """)
    static let list = Statement(
        name: "list",
        sql: """
            SELECT jar, revision FROM cookiesync.jar
            WHERE tenant = $1 AND jar > $2 AND present ORDER BY jar LIMIT $3
            """)
    /// The jar's revision and floor beside each change of a page, as of one moment.
    static let changes = Statement(
        name: "changes",
        sql: """
            SELECT jar.revision, jar.floor, page.revision, page.at, page.kind, page.cause,
                page.store, page.content
            FROM cookiesync.jar LEFT JOIN LATERAL (
                SELECT \(changeColumns) FROM cookiesync.change
                WHERE change.tenant = $1 AND change.jar = $2 AND change.revision > $3
                ORDER BY change.revision LIMIT $4
            ) AS page ON jar.floor <= $3
            WHERE jar.tenant = $1 AND jar.jar = $2 ORDER BY page.revision
            """)

    /// One jar's write: a row when it is done, none when the jar is not at the revision that it starts from.
    ///
    /// The row of the jar is locked until the commit, so revisions appear in their order. The stamp is drawn for each
    /// write: after a failover that lost something, the same revision with another stamp is another state.
    static let update = Statement(
        name: "update",
        sql: """
            WITH head AS (
                UPDATE cookiesync.jar SET revision = $3, stamp = $4, present = $5
                WHERE tenant = $1 AND jar = $2 AND revision = $21 AND stamp = $22
                    AND \(recordsAreCurrent)
                RETURNING 1
            ), \(rest)
            """)
    /// The same for a jar that is not there yet.
    static let create = Statement(
        name: "create",
        sql: """
            WITH owner AS (
                INSERT INTO cookiesync.tenant (tenant) SELECT $1 WHERE \(tenantTakesData)
                ON CONFLICT DO NOTHING
            ), head AS (
                INSERT INTO cookiesync.jar (tenant, jar, revision, stamp, present, created_at)
                SELECT $1, $2, $3, $4, $5, $21::int8
                WHERE \(recordsAreCurrent) AND \(tenantTakesData)
                ON CONFLICT DO NOTHING
                RETURNING 1
            ), \(rest)
            """)
    /// A tenant that is being deleted takes no new data, of a call that was let in before either; where tenants are made
    /// explicitly, neither does one that is not there.
    static let tenantTakesData = """
        CASE current_setting('cookiesync.tenants', true) WHEN 'made'
        THEN EXISTS (SELECT 1 FROM cookiesync.catalogue_tenant
            WHERE catalogue_tenant.tenant = $1 AND NOT deleting)
        ELSE NOT EXISTS (SELECT 1 FROM cookiesync.catalogue_tenant
            WHERE catalogue_tenant.tenant = $1 AND deleting) END
        """
    /// Says of a session that its tenants are made explicitly.
    static let requireTenants = Statement(
        name: "", sql: "SELECT set_config('cookiesync.tenants', 'made', false)")
    /// An operation on a jar has looked at its tenant's records as well, which are to be as they were.
    private static let recordsAreCurrent = """
        coalesce((SELECT stamp FROM cookiesync.record_head WHERE tenant = $1), 0) = $20
        """
    private static let rest = """
        log AS (
            INSERT INTO cookiesync.change
                (tenant, jar, stamp, revision, at, kind, cause, store, content)
            SELECT $1, $2, $4, new.* FROM head, unnest(
                $6::int8[], $7::int8[], $8::int2[], $9::int2[], $10::text[], $11::bytea[]) AS new
        ), cookies AS (
            INSERT INTO cookiesync.cookie (tenant, jar, key, store, expires, content, tombstone)
            SELECT $1, $2, new.* FROM head, unnest(
                $12::bytea[], $13::text[], $14::int8[], $15::bytea[], $16::bytea[]) AS new
            ON CONFLICT (tenant, jar, key) DO UPDATE SET expires = excluded.expires,
                content = excluded.content, tombstone = excluded.tombstone
        ), stores AS (
            INSERT INTO cookiesync.store (tenant, jar, store, present, settings)
            SELECT $1, $2, new.* FROM head, unnest($17::text[], $18::bool[], $19::bytea[]) AS new
            ON CONFLICT (tenant, jar, store) DO UPDATE SET present = excluded.present,
                settings = excluded.settings
        )
        SELECT 1 FROM head
        """
}
