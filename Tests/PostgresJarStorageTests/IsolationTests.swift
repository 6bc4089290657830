// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("Tenants in one database")
struct IsolationTests {
    private static let tables = ["jar", "store", "cookie", "change"]

    @Test("T42: a statement without a predicate sees no row, nor any but the named tenant's")
    func rowLevelSecurity() async throws {
        let fixture = try PostgresFixture()
        let storage = try fixture.node()
        defer { storage.close() }
        for tenant in ["acme", "other"] {
            _ = try await storage.change(StorageWorld.address("alice", of: tenant)) { draft in
                draft.put("a", "1")
                return draft.configure(
                    StorageWorld.store("web"), as: StoreSettings(acceptPolicy: .never),
                    now: StorageWorld.start)
            }
        }
        let info = try #require(ConnectionInfo(fixture.connection))
        let connection = try LaneContext.open(info, statements: [], EngineHealth(logger: .silent))
        for table in Self.tables {
            var script = Script()
            let selection = Statement(name: "", sql: "SELECT tenant FROM cookiesync.\(table)")
            let before = script.add(selection)
            script.add(Statement(name: "", sql: Statements.enter.sql)) {
                $0.octets(Array("acme".utf8))
            }
            let after = script.add(selection)
            let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
            try #require(exchange.failure == nil)
            #expect(exchange.results[before].count == 0, "\(table)")
            let rows = exchange.results[after]
            #expect(rows.count > 0, "\(table)")
            #expect((0..<rows.count).allSatisfy { rows.text($0, 0) == "acme" }, "\(table)")
        }
    }

    @Test("T42: what names one tenant cannot write another one's row")
    func foreignRows() throws {
        let fixture = try PostgresFixture()
        try fixture.node().close()
        let info = try #require(ConnectionInfo(fixture.connection))
        let connection = try LaneContext.open(info, statements: [], EngineHealth(logger: .silent))
        var script = Script()
        script.add(Statement(name: "", sql: Statements.enter.sql)) {
            $0.octets(Array("acme".utf8))
        }
        script.add(
            Statement(
                name: "",
                sql: """
                    INSERT INTO cookiesync.jar (tenant, jar, revision, stamp, created_at, present)
                    VALUES ('other', 'x', 1, 1, 1, true)
                    """))
        let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
        #expect(exchange.failure?.state == "42501")
    }

    @Test("a role without the right to change the schema serves")
    func ordinaryRole() async throws {
        let fixture = try PostgresFixture()
        let role = "run_\(fixture.connection.databaseName)"
        try fixture.execute("CREATE ROLE \(role) LOGIN")
        let running = try #require(
            ConnectionInfo(fixture.connection.replacingUser("app", by: role)))
        let configuration = PostgresJarStorageConfiguration(connection: running)
        #expect(throws: DatabaseOpenError.schemaMissing) {
            try PostgresJarStorage(configuration: configuration, logger: .silent)
        }
        let owner = try #require(ConnectionInfo(fixture.connection))
        #expect(
            try Schema.migrate(owner, grantingTo: role, .silent) == Migrations.currentVersion)
        let storage = try PostgresJarStorage(configuration: configuration, logger: .silent)
        defer { storage.close() }
        let address = StorageWorld.address("alice")
        _ = try await storage.change(address) { $0.put("a", "1") }
        #expect(try await storage.load(address).state.revision.rawValue == 1)
        let connection = try LaneContext.open(
            running, statements: [], EngineHealth(logger: .silent))
        for sql in [
            "CREATE TABLE cookiesync.mine (a int)", "DROP TABLE cookiesync.jar",
            "TRUNCATE cookiesync.jar", "ALTER TABLE cookiesync.jar DISABLE ROW LEVEL SECURITY",
            "UPDATE cookiesync.schema_version SET version = 0",
        ] {
            var script = Script()
            script.add(Statement(name: "", sql: sql))
            let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
            #expect(exchange.failure?.state == "42501", "\(sql)")
        }
    }

    @Test("a schema of a newer version is left alone")
    func newerSchema() throws {
        let fixture = try PostgresFixture()
        try fixture.node().close()
        try fixture.execute("UPDATE cookiesync.schema_version SET version = version + 1")
        #expect(throws: DatabaseOpenError.schemaTooNew) { try fixture.node() }
    }
}

extension String {
    fileprivate func replacingUser(_ user: String, by other: String) -> String {
        split(separator: " ").map { $0 == "user=\(user)" ? "user=\(other)" : String($0) }
            .joined(separator: " ")
    }
}
