// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("Two nodes on one database")
struct FleetTests {
    private let alice = StorageWorld.address("alice")

    @Test("a read on any node sees what was acknowledged on another, whatever it has in memory")
    func readAfterWrite() async throws {
        let fixture = try PostgresFixture()
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        for index in 1...50 {
            _ = try await nodes[index % 2].change(alice) { $0.put("n\(index % 7)", "\(index)") }
            for node in nodes {
                let state = try await node.load(alice).state
                #expect(state.revision.rawValue == UInt64(index))
            }
            let both = try await [nodes[0].load(alice), nodes[1].load(alice)]
            #expect(both[0].state.contents == both[1].state.contents)
        }
    }

    @Test("operations of two nodes on the same jars never interleave, and lose nothing")
    func racing() async throws {
        let fixture = try PostgresFixture()
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        let counts = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for index in 0..<400 {
                group.addTask {
                    let jar = index % 4
                    let node = nodes[(index / 4) % 2]
                    return (
                        jar,
                        try await node.change(Torture.addresses[jar], Torture.increment).answer
                    )
                }
            }
            return try await group.reduce(into: [Int: [Int]]()) {
                $0[$1.0, default: []].append($1.1)
            }
        }
        for jar in 0..<4 {
            #expect(counts[jar]?.sorted() == Array(1...100))
            for node in nodes {
                let state = try await node.load(Torture.addresses[jar]).state
                #expect(Torture.count(in: state) == 100)
                #expect(Torture.isWhole(state))
            }
            let pages = try await [
                nodes[0].feed(of: Torture.addresses[jar], since: 0, limit: 1_000),
                nodes[1].feed(of: Torture.addresses[jar], since: 0, limit: 1_000),
            ]
            #expect(pages[0].changes == pages[1].changes)
            #expect(
                pages[0].changes.map(\.revision.rawValue)
                    == Array(1...(pages[0].newest.rawValue)))
        }
    }

    @Test("an answer that changes nothing is held to what is current, too")
    func quietAnswers() async throws {
        let fixture = try PostgresFixture()
        let nodes = [try fixture.node(), try fixture.node()]
        defer { nodes.forEach { $0.close() } }
        _ = try await nodes[0].change(alice) { $0.put("a", "1") }
        _ = try await nodes[1].change(alice) { $0.put("a", "2") }
        // The first node still has the old state in memory.
        let answer = try await nodes[0].change(alice) { draft in
            defer { draft.discard() }
            return draft.state.revision.rawValue
        }
        #expect(answer.answer == 2)
    }

    @Test("the same revision with another stamp is another state")
    func stamps() async throws {
        let fixture = try PostgresFixture()
        let node = try fixture.node()
        defer { node.close() }
        _ = try await node.change(alice) { $0.put("a", "old") }
        // As after a failover that lost the write and took another one.
        try fixture.execute(
            "DELETE FROM cookiesync.jar; DELETE FROM cookiesync.cookie; DELETE FROM cookiesync.change"
        )
        let other = try fixture.node()
        defer { other.close() }
        _ = try await other.change(alice) { $0.put("a", "new") }
        let seen = try await node.load(alice).state
        #expect(seen.contents == (try await other.load(alice).state.contents))
        let written = try await node.change(alice) { $0.put("b", "1") }.snapshot.state
        #expect(written.contents == (try await other.load(alice).state.contents))
    }

    @Test("rows hold what the state holds, also after the memory was emptied")
    func coldLoad() async throws {
        let fixture = try PostgresFixture()
        let node = try fixture.node()
        var expected: JarContents?
        for index in 0..<40 {
            expected = try await node.change(alice) { draft in
                draft.put("a\(index % 5)", "\(index)")
                if index % 4 == 0 {
                    _ = draft.delete(
                        StorageWorld.identity("a\((index + 2) % 5)"),
                        in: StorageWorld.store("native"), now: StorageWorld.start)
                }
                if index == 20 {
                    _ = draft.deleteStore(StorageWorld.store("native"), now: StorageWorld.start)
                }
            }.snapshot.state.contents
        }
        node.close()
        let fresh = try fixture.node()
        defer { fresh.close() }
        #expect(try await fresh.load(alice).state.contents == expected)
    }
}

@Suite("A follower on one node hears of the other's commits")
struct FollowerTests {
    private let alice = StorageWorld.address("alice")

    @Test("by notification within moments, and by looking when notifications are lost")
    func hearing() async throws {
        let fixture = try PostgresFixture()
        let (writer, reader) = (try fixture.node(), try fixture.node())
        defer {
            writer.close()
            reader.close()
        }
        let rings = AsyncStream<UInt64>.makeStream()
        let watch = reader.commits.watch(alice) { rings.continuation.yield($0.rawValue) }
        var heard = rings.stream.makeAsyncIterator()
        for index in 1...20 {
            _ = try await writer.change(alice) { $0.put("a", "\(index)") }
            // It may be woken more than once for a revision, never not at all.
            while let revision = await heard.next(), revision < UInt64(index) {}
            let page = try await reader.feed(of: alice, since: UInt64(index - 1))
            #expect(page.changes.map(\.revision.rawValue) == [UInt64(index)])
        }
        // A commit that no notification tells of, as of a node that ended after it.
        try fixture.execute(
            """
            UPDATE cookiesync.jar SET revision = 21, stamp = 1;
            INSERT INTO cookiesync.change
            SELECT tenant, jar, 21, 1, at, kind, cause, store, content
            FROM cookiesync.change WHERE revision = 20
            """)
        while let revision = await heard.next(), revision < 21 {}
        watch.cancel()
    }
}
