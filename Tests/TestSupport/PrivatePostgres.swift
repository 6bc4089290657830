// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// A PostgreSQL server of Debian's packages that lives as long as the process of the tests; see `Tests/Postgres/server`.
public final class PrivatePostgres: Sendable {
    /// The one of this process, started when it is first asked for.
    public static let shared = Result { try PrivatePostgres() }

    /// How to connect as its superuser, without the name of a database.
    private let connection: String
    private let nextDatabase = Locked(0)

    /// Starts a server in a directory of its own, which is removed when this process ends, however it does.
    private init() throws {
        var template = Array("/tmp/cookiesync-postgres-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw PrivatePostgresError(step: "directory") }
        let directory = String(cString: made)
        let script = Self.script
        let output = try Self.run("\(script) start \(directory)")
        connection = output.split(separator: " ").filter { !$0.hasPrefix("dbname=") }
            .joined(separator: " ")
        _ = try Self.run("\(script) guard \(directory) \(getpid()) >/dev/null 2>&1 &")
        try execute("CREATE ROLE app LOGIN", in: "postgres")
    }

    /// Makes an empty database that belongs to the role `app`, which is no superuser; answers how to connect to it.
    public func makeDatabase() throws -> String {
        let number = nextDatabase.withLock { number in
            number += 1
            return number
        }
        try execute("CREATE DATABASE test\(number) OWNER app", in: "postgres")
        return connection.replacing(user: "app") + " dbname=test\(number)"
    }

    /// Runs SQL as the superuser; answers its rows, one a line, with `|` between the columns.
    @discardableResult
    public func execute(_ sql: String, in database: String) throws -> String {
        let quoted = sql.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''")
        return try Self.run(
            "psql -X -q -A -t -v ON_ERROR_STOP=1 -c '\(quoted)' '\(connection) dbname=\(database)'")
    }

    private static var script: String {
        let here = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
        return "\(here)/Postgres/server"
    }

    private static func run(_ command: String) throws -> String {
        guard let pipe = popen(command, "r") else { throw PrivatePostgresError(step: command) }
        var output: [UInt8] = []
        while case let byte = getc(pipe), byte != EOF { output.append(UInt8(byte)) }
        guard pclose(pipe) == 0 else { throw PrivatePostgresError(step: command) }
        let text = String(decoding: output, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

extension String {
    fileprivate func replacing(user: String) -> String {
        split(separator: " ").map { $0.hasPrefix("user=") ? "user=\(user)" : String($0) }
            .joined(separator: " ")
    }

    /// The name of the database in a connection string.
    public var databaseName: String {
        split(separator: " ").last { $0.hasPrefix("dbname=") }.map { String($0.dropFirst(7)) } ?? ""
    }
}

/// The server could not be made, or refused.
public struct PrivatePostgresError: Error {
    /// What was being done.
    public let step: String
}
