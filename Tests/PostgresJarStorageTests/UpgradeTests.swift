// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("A schema that another version has left")
struct UpgradeTests {
    private let alice = StorageWorld.address("alice")

    /// The schema as each older version makes it; what it holds is in tables that have not changed since.
    @Test("is brought to this version with all that is in it", arguments: 1..<Migrations.all.count)
    func upgrade(version: Int) async throws {
        let fixture = try PostgresFixture()
        let filling = try fixture.node()
        for index in 0..<20 { _ = try await filling.change(alice) { $0.put("n", "\(index)") } }
        let before = try await filling.load(alice).state
        let feed = try await filling.feed(of: alice, since: 0)
        filling.close()
        try rebuild(fixture, version: version)

        let node = try fixture.node()
        defer { node.close() }
        let after = try await node.load(alice).state
        #expect(after.revision == before.revision)
        #expect(after.contents == before.contents)
        #expect(try await node.feed(of: alice, since: 0).changes == feed.changes)
        let found = try fixture.execute("SELECT version FROM cookiesync.schema_version")
        #expect(found == "\(Migrations.currentVersion)")
        // What is new in this version works on it, for the role that the service has.
        let key = WriteKey(
            key: [1], fingerprint: [2], at: StorageWorld.start,
            expires: StorageWorld.start.adding(seconds: 60))
        for _ in 0..<2 {
            let answer: OnceAnswer<Never> = try await node.change(alice, once: key) { draft in
                draft.put("n", "once")
                return .success([3])
            }
            guard case .answered(let body) = answer else { continue }
            #expect(body == [3])
        }
        #expect(try await node.load(alice).state.revision.rawValue == 21)
    }

    /// Moves the rows into a schema that has only seen the steps up to that version.
    private func rebuild(_ fixture: PostgresFixture, version: Int) throws {
        let steps = Migrations.all.prefix(version).joined().joined(separator: ";\n")
        let tables = Migrations.tables.filter { steps.contains("CREATE TABLE cookiesync.\($0) ") }
        let copies = tables.map { "INSERT INTO cookiesync.\($0) SELECT * FROM old.\($0)" }
        try fixture.execute(
            """
            ALTER SCHEMA cookiesync RENAME TO old;
            SET ROLE app;
            CREATE SCHEMA cookiesync;
            CREATE TABLE cookiesync.schema_version (version int8 NOT NULL);
            INSERT INTO cookiesync.schema_version VALUES (\(version));
            \(steps);
            RESET ROLE;
            \(copies.joined(separator: ";\n"));
            DROP SCHEMA old CASCADE
            """)
    }
}
