// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// The rows of `change` that bring a cookie, which nearly all do: bound without a copy of the cookie's octets, and without
/// the columns that are empty in them.
enum CookieChangeRow {
    static let insertion = """
        INSERT INTO change (
            sequence, jar, revision, at, present, kind, cause, store,
            \(IdentityColumns.names), \(ContentColumns.cookieNames.joined(separator: ", ")))
        VALUES (\((1...22).map { "?\($0)" }.joined(separator: ", ")))
        """

    private static let store: Int32 = 8
    private static let identity: Int32 = 9
    private static let content: Int32 = 14

    /// Adds the row of a change.
    static func insert(
        _ cookie: Cookie, _ kind: ChangeRowKind, _ change: Change, _ position: ChangeRow.Position,
        _ sealing: JarSealing, with statement: Statement
    ) throws(SQLiteError) {
        try ChangeRow.bind(
            position, revision: change.revision.rawValue, at: change.at, kind: kind,
            cause: Int64(change.cause.rawValue), to: statement)
        let identity = cookie.identity
        let value = try ContentColumns.bindRest(
            of: cookie, in: change.store, sealing, from: content, to: statement)
        try statement.bind(Self.identity + 3, IdentityColumns.scope(of: identity))
        let place = Self.identity
        try statement.binding(change.store.bytes, to: store) { () throws(SQLiteError) in
            try statement.binding(identity.domain, to: place) { () throws(SQLiteError) in
                try statement.binding(identity.name, to: place + 1) { () throws(SQLiteError) in
                    try statement.binding(identity.path, to: place + 2) { () throws(SQLiteError) in
                        try run(statement, identity.partitionKey ?? [], value)
                    }
                }
            }
        }
    }

    private static func run(
        _ statement: Statement, _ partitionKey: [UInt8], _ value: [UInt8]
    ) throws(SQLiteError) {
        try statement.binding(partitionKey, to: identity + 4) { () throws(SQLiteError) in
            try statement.binding(value, to: content) { () throws(SQLiteError) in
                try statement.runKeepingBindings()
            }
        }
    }
}
