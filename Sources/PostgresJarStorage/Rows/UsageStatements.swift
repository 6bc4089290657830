// SPDX-License-Identifier: Apache-2.0

// What concerns a tenant as a whole.

extension Statements {
    /// How many jars a tenant has and about how many octets its rows take; no number for one that has nothing.
    static let usage = Statement(
        name: "usage",
        sql: """
            SELECT
                CASE WHEN EXISTS (SELECT 1 FROM cookiesync.jar WHERE tenant = $1)
                    OR EXISTS (SELECT 1 FROM cookiesync.record_head WHERE tenant = $1)
                THEN (SELECT count(*) FROM cookiesync.jar WHERE tenant = $1 AND present) END,
                (SELECT coalesce(sum(pg_column_size(cookie.*)), 0)::int8
                    FROM cookiesync.cookie WHERE tenant = $1)
                + (SELECT coalesce(sum(pg_column_size(change.*)), 0)::int8
                    FROM cookiesync.change WHERE tenant = $1)
            """)
    /// Everything of a tenant goes at once.
    static let deleteTenant = Statement(
        name: "delete tenant",
        sql: """
            WITH changes AS (DELETE FROM cookiesync.change WHERE tenant = $1),
                cookies AS (DELETE FROM cookiesync.cookie WHERE tenant = $1),
                stores AS (DELETE FROM cookiesync.store WHERE tenant = $1),
                answers AS (DELETE FROM cookiesync.answer WHERE tenant = $1),
                records AS (DELETE FROM cookiesync.record WHERE tenant = $1),
                heads AS (DELETE FROM cookiesync.record_head WHERE tenant = $1),
                jars AS (DELETE FROM cookiesync.jar WHERE tenant = $1)
            DELETE FROM cookiesync.tenant WHERE tenant = $1
            """)
}
