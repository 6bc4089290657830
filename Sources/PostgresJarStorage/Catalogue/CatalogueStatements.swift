// SPDX-License-Identifier: Apache-2.0

/// What is asked of the catalogue of tenants and tokens.
///
/// Its rows are read by those alone who have opened the catalogue in their transaction, as a token is looked for before it
/// is known whose it is; they are written in the name of their tenant.
enum CatalogueStatements {
    /// What a lane prepares beside the statements of jars.
    static let all = [
        open, head, lock, delta, load, putTenant, removeTenant, putToken, removeToken, note,
        advance, trim,
    ]
    /// What the watch prepares.
    static let watching = [Statements.enter, open, head, delta, load, noteUses, uses]

    /// How many of the newest generations can be followed change by change; who is further behind loads everything.
    static let keptGenerations: Int64 = 1_000

    /// From here to the end of the transaction the catalogue's rows can be read.
    static let open = Statement(
        name: "open catalogue", sql: "SELECT set_config('cookiesync.catalogue', 'open', true)")
    /// Where the catalogue stands.
    static let head = Statement(
        name: "catalogue head", sql: "SELECT generation, stamp FROM cookiesync.catalogue_head")
    /// The same, held from then on: only one transaction of all nodes changes the catalogue at a time.
    static let lock = Statement(
        name: "lock catalogue",
        sql: "SELECT generation, stamp FROM cookiesync.catalogue_head FOR UPDATE")

    private static let tenantColumns = "created_at, byte_limit, rate_limit, deleting"
    private static let tokenColumns = """
        name, scopes, jars, stores, rate_limit, created_at, expires_at, digest, overlap_digest,
        overlap_until
        """

    /// The row of part 0, which names the columns and their types for those of the tenants and tokens.
    private static let headRow = """
        SELECT 0::int2 AS part, generation, stamp, ''::text AS tenant, ''::text AS id,
            NULL::bytea AS name, NULL::int8 AS scopes, NULL::text AS jars, NULL::text AS stores,
            NULL::int8 AS rate_limit, NULL::int8 AS created_at, NULL::int8 AS expires_at,
            NULL::bytea AS digest, NULL::bytea AS overlap_digest, NULL::int8 AS overlap_until,
            NULL::int8 AS byte_limit, NULL::bool AS deleting, 0::int8 AS number,
            0::int8 AS last_use
        FROM cookiesync.catalogue_head
        """

    /// What was changed from a generation on, that one included, as it is now: a row of part 0 for the head, and for each
    /// change one of part 1 with its tenant or of part 2 with its token; without a time of making, it is gone.
    static let delta = Statement(
        name: "catalogue delta",
        sql: """
            \(headRow)
            UNION ALL
            SELECT 1::int2, change.generation, change.stamp, change.tenant, '', NULL, NULL, NULL,
                NULL, found.rate_limit, found.created_at, NULL, NULL, NULL, NULL, found.byte_limit,
                found.deleting, change.number, 0
            FROM cookiesync.catalogue_change AS change
            LEFT JOIN cookiesync.catalogue_tenant AS found ON found.tenant = change.tenant
            WHERE change.generation >= $1 AND change.token = ''
            UNION ALL
            SELECT 2::int2, change.generation, change.stamp, change.tenant, change.token,
                found.name, found.scopes, found.jars, found.stores, found.rate_limit,
                found.created_at, found.expires_at, found.digest, found.overlap_digest,
                found.overlap_until, NULL, NULL, change.number, found.last_use
            FROM cookiesync.catalogue_change AS change
            LEFT JOIN cookiesync.catalogue_token AS found
                ON found.tenant = change.tenant AND found.id = change.token
            WHERE change.generation >= $1 AND change.token <> ''
            ORDER BY 2, 18
            """)
    /// Everything as of one moment, in the same form.
    static let load = Statement(
        name: "catalogue load",
        sql: """
            \(headRow)
            UNION ALL
            SELECT 1::int2, 0, 0, tenant, '', NULL, NULL, NULL, NULL, rate_limit, created_at, NULL,
                NULL, NULL, NULL, byte_limit, deleting, 0, 0
            FROM cookiesync.catalogue_tenant
            UNION ALL
            SELECT 2::int2, 0, 0, tenant, id, name, scopes, jars, stores, rate_limit, created_at,
                expires_at, digest, overlap_digest, overlap_until, NULL, NULL, 0, last_use
            FROM cookiesync.catalogue_token
            """)

    static let putTenant = Statement(
        name: "put tenant",
        sql: """
            INSERT INTO cookiesync.catalogue_tenant (tenant, \(tenantColumns))
            VALUES ($1, $2::int8, nullif($3::int8, -1), nullif($4::int8, -1), $5::bool)
            ON CONFLICT (tenant) DO UPDATE SET byte_limit = excluded.byte_limit,
                rate_limit = excluded.rate_limit, deleting = excluded.deleting
            """)
    static let removeTenant = Statement(
        name: "remove tenant", sql: "DELETE FROM cookiesync.catalogue_tenant WHERE tenant = $1")
    static let putToken = Statement(
        name: "put token",
        sql: """
            INSERT INTO cookiesync.catalogue_token (tenant, id, \(tokenColumns), last_use)
            VALUES ($1, $2, $3, $4::int8, $5, $6, nullif($7::int8, -1), $8::int8, $9::int8, $10,
                nullif($11::bytea, ''), nullif($12::int8, -1), $13::int8)
            ON CONFLICT (tenant, id) DO UPDATE SET expires_at = excluded.expires_at,
                digest = excluded.digest, overlap_digest = excluded.overlap_digest,
                overlap_until = excluded.overlap_until
            """)
    static let removeToken = Statement(
        name: "remove token",
        sql: "DELETE FROM cookiesync.catalogue_token WHERE tenant = $1 AND id = $2")
    /// Says in the log what a generation has changed.
    static let note = Statement(
        name: "note change",
        sql: """
            INSERT INTO cookiesync.catalogue_change (generation, number, stamp, tenant, token)
            VALUES ($1::int8, $2::int8, $3::int8, $4, $5)
            """)
    static let advance = Statement(
        name: "advance catalogue",
        sql: "UPDATE cookiesync.catalogue_head SET generation = $1::int8, stamp = $2::int8")
    static let trim = Statement(
        name: "trim catalogue",
        sql: "DELETE FROM cookiesync.catalogue_change WHERE generation <= $1::int8")

    /// When tokens of a tenant were used last; a node that knows less does not take that back.
    static let noteUses = Statement(
        name: "note uses",
        sql: """
            UPDATE cookiesync.catalogue_token AS token SET last_use = new.last_use
            FROM unnest($2::text[], $3::int8[]) AS new (id, last_use)
            WHERE token.tenant = $1 AND token.id = new.id AND token.last_use < new.last_use
            """)
    /// The tokens that were used since.
    static let uses = Statement(
        name: "uses",
        sql: "SELECT id, last_use FROM cookiesync.catalogue_token WHERE last_use >= $1")
}
