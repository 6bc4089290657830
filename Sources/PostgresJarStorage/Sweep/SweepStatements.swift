// SPDX-License-Identifier: Apache-2.0

// What happens to jars in the course of time: cookies expire, and the oldest changes are dropped.

extension Statements {
    /// Takes the tenant that has waited for longest; another node takes another one.
    static let takeTenant = Statement(
        name: "take tenant",
        sql: """
            UPDATE cookiesync.tenant SET swept_at = $1 WHERE tenant = (
                SELECT tenant FROM cookiesync.tenant WHERE swept_at <= $2
                ORDER BY swept_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING tenant
            """)
    /// The next jars of a tenant by name: whether one holds an expired cookie, and whether its log is to be cut.
    static let sweepPage = Statement(
        name: "sweep page",
        sql: """
            SELECT jar,
                EXISTS (
                    SELECT 1 FROM cookiesync.cookie
                    WHERE cookie.tenant = $1 AND cookie.jar = page.jar AND expires <= $3),
                coalesce((
                    SELECT at < $4 OR change.revision <= page.revision - $5 FROM cookiesync.change
                    WHERE change.tenant = $1 AND change.jar = page.jar
                    ORDER BY change.revision LIMIT 1), false)
            FROM (
                SELECT jar, revision FROM cookiesync.jar WHERE tenant = $1 AND jar > $2
                ORDER BY jar LIMIT 256) AS page
            ORDER BY jar
            """)
    /// Drops a jar's changes up to the first that is recent and among the newest; the floor says what is gone.
    static let compact = Statement(
        name: "compact",
        sql: """
            WITH gone AS (
                DELETE FROM cookiesync.change USING cookiesync.jar
                WHERE jar.tenant = $1 AND jar.jar = $2 AND change.tenant = $1 AND change.jar = $2
                    AND (change.revision <= jar.revision - $4 OR change.revision < coalesce((
                        SELECT min(kept.revision) FROM cookiesync.change AS kept
                        WHERE kept.tenant = $1 AND kept.jar = $2 AND kept.at >= $3),
                        jar.revision + 1))
                RETURNING change.revision
            )
            UPDATE cookiesync.jar
            SET floor = greatest(floor, (SELECT max(revision) FROM gone))
            WHERE tenant = $1 AND jar = $2 AND EXISTS (SELECT 1 FROM gone)
            """)
}
