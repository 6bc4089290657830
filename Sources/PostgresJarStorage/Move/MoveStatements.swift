// SPDX-License-Identifier: Apache-2.0

/// What moving runs beside the statements of the service.
enum MoveStatements {
    /// What the connection prepares.
    static let all =
        [
            Statements.enter, Statements.load, Statements.changes, Statements.loadTenant,
            Statements.create, Statements.createTenant, tenants, jars, setFloor,
        ] + CatalogueStatements.all

    /// A jar may be large, and nobody waits for an answer.
    static let configure = Statement(
        name: "",
        sql: """
            SELECT set_config('statement_timeout', '120000', false),
                set_config('lock_timeout', '30000', false)
            """)
    static let tenants = Statement(
        name: "tenants", sql: "SELECT tenant FROM cookiesync.tenant ORDER BY tenant")
    /// Every jar, those included that do not exist for clients.
    static let jars = Statement(
        name: "jars", sql: "SELECT jar FROM cookiesync.jar WHERE tenant = $1 ORDER BY jar")
    /// Only of the jar that the same transaction has made.
    static let setFloor = Statement(
        name: "set floor",
        sql: """
            UPDATE cookiesync.jar SET floor = $3 WHERE tenant = $1 AND jar = $2 AND stamp = $4
            """)
}
