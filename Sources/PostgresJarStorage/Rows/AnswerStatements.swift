// SPDX-License-Identifier: Apache-2.0

// Answers that are kept for the keys of writes which are to take effect once.

extension Statements {
    /// Takes the row of a key, which is made if it is not there, until the end of the transaction; without a body it is
    /// new.
    static let takeKey = Statement(
        name: "take key",
        sql: """
            INSERT INTO cookiesync.answer (tenant, key, fingerprint, expires)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (tenant, key) DO UPDATE SET key = excluded.key
            RETURNING fingerprint, body, expires
            """)
    /// Keeps an answer under a key that was taken.
    static let keepAnswer = Statement(
        name: "keep answer",
        sql: """
            UPDATE cookiesync.answer SET fingerprint = $3, expires = $4, body = $5
            WHERE tenant = $1 AND key = $2
            """)
    /// Drops a tenant's answers whose time is over.
    static let dropAnswers = Statement(
        name: "drop answers",
        sql: "DELETE FROM cookiesync.answer WHERE tenant = $1 AND expires <= $2")
}
