// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import PostgresJarStorage

/// A database of its own, with as many nodes on it as a test wants.
struct PostgresFixture {
    let server: PrivatePostgres
    /// The connection string of the role that owns it.
    let connection: String

    init() throws {
        server = try PrivatePostgres.shared.get()
        connection = try server.makeDatabase()
    }

    /// Another node.
    func node(
        _ adjust: (inout PostgresJarStorageConfiguration) -> Void = { _ in },
        logger: Logger = .silent
    ) throws -> PostgresJarStorage {
        let info = try #require(ConnectionInfo(connection))
        var configuration = PostgresJarStorageConfiguration(connection: info)
        adjust(&configuration)
        return try PostgresJarStorage(configuration: configuration, logger: logger)
    }

    /// Runs SQL as the superuser of the server.
    @discardableResult
    func execute(_ sql: String) throws -> String {
        try server.execute(sql, in: connection.databaseName)
    }
}

extension JarDraft {
    /// Stores a cookie in the store `native`.
    @discardableResult
    mutating func put(_ name: String, _ value: String) -> Verdict {
        put(
            StorageWorld.cookie(name, value), in: StorageWorld.store("native"),
            rules: StorageWorld.rules, now: StorageWorld.start)
    }
}
