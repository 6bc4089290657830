// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("The catalogue of a fleet")
struct CatalogueTests {
    private let fixture: PostgresFixture
    private let acme = CatalogueWorld.tenant("acme")
    private let token = CatalogueWorld.token("a", of: "acme")

    init() throws { fixture = try PostgresFixture() }

    /// Whether a node lets the token in; nil when it cannot tell.
    private func admits(_ node: PostgresJarStorage) -> Bool? {
        node.catalogue.currentState.map { $0.token(token.id) != nil }
    }

    private func fill(_ node: PostgresJarStorage) async throws {
        try await node.catalogue.change { [acme, token] in
            $0.apply(.putTenant(acme))
            $0.apply(.putToken(token))
        }
    }

    private func connection() throws -> PostgresConnection {
        let info = try #require(ConnectionInfo(fixture.connection))
        return try LaneContext.open(info, statements: [], EngineHealth(logger: .silent))
    }

    /// Keeps all nodes away from the database.
    private func close(_ isClosed: Bool) throws {
        let name = fixture.connection.databaseName
        try fixture.server.execute(
            "ALTER DATABASE \(name) ALLOW_CONNECTIONS \(!isClosed)", in: "postgres")
        guard isClosed else { return }
        try fixture.server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
            in: "postgres")
    }

    @Test("T07: a token that was revoked on one node is let in by none, a new one by all")
    func revocation() async throws {
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        try await nodes[0].catalogue.change { [acme] in $0.apply(.putTenant(acme)) }
        for round in 0..<3 {
            try await nodes[round % 2].catalogue.change { [token] in $0.apply(.putToken(token)) }
            for node in nodes { #expect(admits(node) != false, "minted") }
            try await nodes[(round + 1) % 2].catalogue.change { [token] in
                $0.apply(.removeToken(token.id, of: token.tenant))
            }
            for node in nodes { #expect(admits(node) != true, "revoked") }
        }
    }

    @Test("a change of tokens is answered when no node can go by what was before")
    func settling() async throws {
        let node = try fixture.node()
        defer { node.close() }
        let start = MonotonicTime.now
        try await fill(node)
        #expect(start.adding(milliseconds: KnownCatalogue.leaseMilliseconds) < .now)
    }

    @Test("without the database a node says after a second that it does not know, and heals")
    func outage() async throws {
        let node = try fixture.node()
        defer { node.close() }
        try await fill(node)
        let rings = Atomic(0)
        node.catalogue.observe { rings.add(1, ordering: .relaxed) }
        #expect(try await eventually { admits(node) == true })
        try close(true)
        #expect(try await eventually { admits(node) == nil })
        #expect(node.catalogue.state.token(token.id) != nil)
        await #expect(throws: JarStorageError.self) { try await node.catalogue.newest() }
        #expect(
            try await eventually { node.catalogue.isLost && rings.load(ordering: .relaxed) > 0 })
        try close(false)
        #expect(try await eventually(5_000) { admits(node) == true })
        #expect(!node.catalogue.isLost)
    }

    @Test("a node that was away learns all that has changed, however much that is")
    func catchingUp() async throws {
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        for index in 0..<5 {
            let tenant = CatalogueWorld.tenant("t\(index)", bytes: index)
            try await nodes[0].catalogue.change { $0.apply(.putTenant(tenant)) }
        }
        let gone = CatalogueWorld.tenant("t3").tenant
        try await nodes[0].catalogue.change { $0.apply(.removeTenant(gone)) }
        #expect(try await nodes[1].catalogue.newest().tenants.count == 4)
        // What is not in the log any more is found in the tables.
        try fixture.execute(
            """
            UPDATE cookiesync.catalogue_tenant SET byte_limit = 77 WHERE tenant = 't1';
            DELETE FROM cookiesync.catalogue_change;
            UPDATE cookiesync.catalogue_head SET generation = generation + 5
            """)
        for node in nodes {
            let state = try await node.catalogue.newest()
            #expect(state.tenants.count == 4)
            #expect(
                state.tenant(CatalogueWorld.tenant("t1").tenant)?.record.limits.bytes == 77)
        }
    }

    @Test("the same generation with another stamp is another catalogue")
    func stamps() async throws {
        let node = try fixture.node()
        defer { node.close() }
        try await fill(node)
        // As after a failover that lost the token and took another change.
        try fixture.execute(
            "DELETE FROM cookiesync.catalogue_token; UPDATE cookiesync.catalogue_head SET stamp = 1"
        )
        #expect(try await node.catalogue.newest().token(token.id) == nil)
        #expect(try await eventually { admits(node) == false })
    }

    @Test(
        "a tenant that is being deleted takes no data, one that was not made none where it has to be"
    )
    func leaving() async throws {
        let nodes = [try fixture.node(), try fixture.node { $0.requiresTenants = true }]
        defer { nodes.forEach { $0.close() } }
        let address = StorageWorld.address("alice", of: "acme")
        for (node, isOpen) in zip(nodes, [true, false]) {
            let written = try? await node.change(address) { $0.put("a", "\(isOpen)") }
            #expect((written != nil) == isOpen)
            _ = try await node.delete(acme.tenant)
        }
        try await nodes[0].catalogue.change { [acme] in $0.apply(.putTenant(acme)) }
        for node in nodes {
            _ = try await node.change(address) { $0.put("a", "2") }
            _ = try await node.delete(acme.tenant)
        }
        try await nodes[0].catalogue.change { [acme] in
            var record = acme
            record.isBeingDeleted = true
            $0.apply(.putTenant(record))
        }
        for node in nodes {
            await #expect(throws: JarStorageError.busy) {
                try await node.change(address) { $0.put("a", "3") }
            }
            await #expect(throws: JarStorageError.busy) {
                try await node.changeRecords(of: acme.tenant) {
                    $0.set(StorageWorld.record("www.example.com", ["203.0.113.7"]))
                }
            }
            #expect(try await node.load(address).state.revision == .zero)
        }
    }

    @Test("a deletion leaves nothing of writes that were under way")
    func deletion() async throws {
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        for _ in 0..<5 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<40 {
                    let address = StorageWorld.address("jar\(index % 4)", of: "acme")
                    group.addTask {
                        _ = try await nodes[index % 2].change(address) { $0.put("a", "\(index)") }
                    }
                }
                group.addTask { try await nodes[0].delete(acme.tenant) }
                try await group.waitForAll()
            }
            // Each cookie and change that is there is one of a jar that is there.
            for table in ["cookie", "change", "store"] {
                let orphans = try fixture.execute(
                    """
                    SELECT count(*) FROM cookiesync.\(table) AS row WHERE NOT EXISTS
                        (SELECT 1 FROM cookiesync.jar WHERE jar.tenant = row.tenant AND jar.jar = row.jar)
                    """)
                #expect(orphans == "0", "\(table)")
            }
            try await nodes[0].delete(acme.tenant)
        }
    }

    @Test("when a token was used last is known to a node that starts later")
    func lastUse() async throws {
        let node = try fixture.node()
        try await fill(node)
        let use = try #require(node.catalogue.state.token(token.id)?.use)
        use.lastUse.store(123_456, ordering: .relaxed)
        node.close()
        let other = try fixture.node()
        defer { other.close() }
        let found = try await other.catalogue.newest().token(token.id)
        #expect(found?.use.lastUse.load(ordering: .relaxed) == 123_456)
    }

    @Test(
        "T42: what has not opened the catalogue sees none of it, and writes in its own tenant's name",
        arguments: ["catalogue_tenant", "catalogue_token", "catalogue_change"])
    func isolation(_ table: String) async throws {
        let node = try fixture.node()
        defer { node.close() }
        try await fill(node)
        let connection = try connection()
        var script = Script()
        let selection = Statement(name: "", sql: "SELECT tenant FROM cookiesync.\(table)")
        let enter = Statement(name: "", sql: Statements.enter.sql)
        let bare = script.add(selection)
        script.add(enter) { $0.octets(Array("acme".utf8)) }
        let entered = script.add(selection)
        script.add(Statement(name: "", sql: CatalogueStatements.open.sql))
        let opened = script.add(selection)
        script.add(enter) { $0.octets(Array("other".utf8)) }
        let change = script.add(
            Statement(name: "", sql: "UPDATE cookiesync.\(table) SET tenant = tenant"))
        let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
        try #require(exchange.failure == nil)
        #expect(exchange.results[bare].count == 0)
        // Its own tenant's row is for a write to see whether the tenant is there.
        #expect(exchange.results[entered].count == (table == "catalogue_tenant" ? 1 : 0))
        #expect(exchange.results[opened].count > 0)
        #expect(exchange.results[change].tag == "UPDATE 0")
    }
}

@Suite("One pepper for a fleet")
struct FleetPepperTests {
    private struct NoFile: Error {}

    @Test("is made by the first node, is to be had by the others, and is not in the database")
    func agreement() throws {
        let fixture = try PostgresFixture()
        let info = try #require(ConnectionInfo(fixture.connection))
        let pepper = CataloguePepper.random()
        var asked: [Bool] = []
        for _ in 0..<2 {
            let agreed = try FleetPepper.agree(info, logger: .silent) { (mayMake) in
                asked.append(mayMake)
                return pepper
            }
            #expect(agreed.bytes == pepper.bytes)
        }
        #expect(asked == [true, false])
        #expect {
            try FleetPepper.agree(info, logger: .silent) { _ in CataloguePepper.random() }
        } throws: { error in
            if case FleetPepperError<Never>.other? = error as? FleetPepperError<Never> {
                true
            } else {
                false
            }
        }
        #expect {
            try FleetPepper.agree(info, logger: .silent) { (_) throws(NoFile) in throw NoFile() }
        } throws: { error in
            if case FleetPepperError<NoFile>.file? = error as? FleetPepperError<NoFile> {
                true
            } else {
                false
            }
        }
        let kept = try fixture.execute(
            "SELECT encode(pepper_check, 'hex') FROM cookiesync.catalogue_head")
        #expect(kept.count == 32)
        let digits = pepper.bytes.map { String($0, radix: 16) }
        #expect(!kept.contains(digits.prefix(4).joined()))
    }

    @Test("a database that is only looked at keeps nothing of it")
    func looking() throws {
        let fixture = try PostgresFixture()
        let info = try #require(ConnectionInfo(fixture.connection))
        _ = try FleetPepper.agree(info, adopting: false, logger: .silent) { (mayMake) in
            #expect(!mayMake)
            return CataloguePepper.random()
        }
        let kept = try fixture.execute("SELECT pepper_check IS NULL FROM cookiesync.catalogue_head")
        #expect(kept == "t")
    }
}
