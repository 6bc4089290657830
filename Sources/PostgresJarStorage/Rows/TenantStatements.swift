// SPDX-License-Identifier: Apache-2.0

// A tenant's records: small, and read far more often than written.

extension Statements {
    /// Where a tenant's records stand.
    static let checkTenant = Statement(
        name: "check tenant",
        sql: "SELECT revision, stamp FROM cookiesync.record_head WHERE tenant = $1")
    /// A tenant's records as of one moment: a row of part 0, and one of part 1 for each.
    static let loadTenant = Statement(
        name: "load tenant",
        sql: """
            SELECT 0::int2, revision, stamp, NULL::int2, NULL::bytea, NULL::bytea
            FROM cookiesync.record_head WHERE tenant = $1
            UNION ALL
            SELECT 1::int2, 0::int8, 0::int8, kind, name, body
            FROM cookiesync.record WHERE tenant = $1
            """)
    /// The records' write: a row when it is done, none when they are not at the revision that it starts from.
    static let updateTenant = Statement(
        name: "update tenant",
        sql: """
            WITH head AS (
                UPDATE cookiesync.record_head SET revision = $2, stamp = $3
                WHERE tenant = $1 AND revision = $9 AND stamp = $10
                RETURNING 1
            ), \(restOfTenant)
            """)
    /// The same for a tenant that has had none.
    static let createTenant = Statement(
        name: "create tenant",
        sql: """
            WITH owner AS (
                INSERT INTO cookiesync.tenant (tenant) SELECT $1 WHERE \(tenantTakesData)
                ON CONFLICT DO NOTHING
            ), head AS (
                INSERT INTO cookiesync.record_head (tenant, revision, stamp)
                SELECT $1, $2::int8, $3::int8 WHERE \(tenantTakesData) ON CONFLICT DO NOTHING
                RETURNING 1
            ), \(restOfTenant)
            """)
    private static let restOfTenant = """
        gone AS (
            DELETE FROM cookiesync.record USING head
            WHERE tenant = $1 AND (kind, name) IN (SELECT * FROM unnest($4::int2[], $5::bytea[]))
        ), kept AS (
            INSERT INTO cookiesync.record (tenant, kind, name, body)
            SELECT $1, new.* FROM head, unnest($6::int2[], $7::bytea[], $8::bytea[]) AS new
            ON CONFLICT (tenant, kind, name) DO UPDATE SET body = excluded.body
        )
        SELECT 1 FROM head
        """
}
