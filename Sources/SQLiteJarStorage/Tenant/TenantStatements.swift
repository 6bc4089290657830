// SPDX-License-Identifier: Apache-2.0

/// The statements of a tenant's connection that are used all the time.
final class TenantStatements {
    let insertChange: Statement
    let insertCookieChange: Statement
    let selectChange: Statement
    let selectJar: Statement
    let selectStores: Statement
    let selectCookies: Statement
    let listJars: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        insertChange = try connection.prepare(ChangeRow.insertion)
        insertCookieChange = try connection.prepare(CookieChangeRow.insertion)
        selectChange = try connection.prepare(ChangeRow.selection)
        selectJar = try connection.prepare(
            "SELECT id, revision, created_at FROM jar WHERE name = ?1")
        selectStores = try connection.prepare(
            "SELECT name, present, settings FROM store WHERE jar = ?1")
        selectCookies = try connection.prepare(
            """
            SELECT store, live, \(IdentityColumns.names), \(ContentColumns.names)
            FROM cookie WHERE jar = ?1
            """)
        listJars = try connection.prepare(
            "SELECT id, name, revision, present FROM jar WHERE name > ?1 ORDER BY name")
    }
}
