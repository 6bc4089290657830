// SPDX-License-Identifier: Apache-2.0

import Cookies
import Dispatch
import Glibc
import JarStorage
import Locks
import Synchronization
import TestSupport
import Testing

/// The promises of the protocol `JarStorage`, by its numbers, for every engine.
@Suite("The contract of a jar storage")
struct JarStorageContract {
    private static let native = StorageWorld.store("native")
    private let alice = StorageWorld.address("alice")

    @discardableResult
    private static func put(
        _ name: String, _ value: String, _ draft: inout JarDraft
    ) -> Verdict {
        draft.put(
            StorageWorld.cookie(name, value), in: native, rules: StorageWorld.rules,
            now: StorageWorld.start)
    }

    @Test(
        "1: completions come once, from another thread, in the order of the commits",
        arguments: StorageEngine.allCases)
    func completions(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let caller = Atomic(UInt(pthread_self()))
        let revisions = Locked<[UInt64]>([])
        let done = DispatchGroup()
        for index in 0..<100 {
            done.enter()
            storage.write(alice, operation: { Self.put("n", "\(index)", &$0) }) { result in
                #expect(UInt(pthread_self()) != caller.load(ordering: .relaxed))
                let revision = try? result.get().snapshot.state.revision.rawValue
                revisions.withLock { $0.append(revision ?? 0) }
                done.leave()
            }
        }
        await done.finish()
        let seen = revisions.withLock { $0 }
        // Each call is answered with the state that it left behind, also when many were committed together.
        #expect(seen == Array(1...100))
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "2: a write that was answered is seen by every later read",
        arguments: StorageEngine.allCases)
    func visibility(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        for index in 1...20 {
            let committed = try await storage.change(alice) { Self.put("n", "\(index)", &$0) }
            #expect(committed.answer.outcome == (index == 1 ? .stored : .replaced))
            let loaded = try await storage.load(alice)
            #expect(loaded.state.revision.rawValue == UInt64(index))
            if let cached = storage.cached(alice) {
                #expect(cached.state.revision.rawValue == UInt64(index))
            }
        }
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "2: a watch over what is in memory has ended once a write was answered",
        arguments: StorageEngine.allCases)
    func watches(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let other = StorageWorld.address("bob")
        for address in [alice, other] {
            _ = try await storage.change(address) { Self.put("n", "0", &$0) }
        }
        for index in 1...20 {
            guard let found = storage.watched(alice), let watch = found.watch else { continue }
            #expect(watch.isCurrent)
            #expect(storage.watched(alice)?.watch === watch, "there is one for all")
            _ = try await storage.change(other) { Self.put("n", "\(index)", &$0) }
            #expect(watch.isCurrent || engine != .memory, "it is about its own jar")
            _ = try await storage.change(alice) { Self.put("n", "\(index)", &$0) }
            #expect(!watch.isCurrent)
        }
        if let watch = storage.watched(alice)?.watch {
            try await storage.delete(alice.tenant)
            #expect(!watch.isCurrent)
        } else {
            #expect(engine != .memory && engine != .sqlite, "these have everything in memory")
        }
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "3: operations on one jar never interleave, and lose nothing",
        arguments: StorageEngine.allCases)
    func isolation(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let address = Torture.addresses[0]
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<150 {
                group.addTask { try await storage.change(address, Torture.increment).answer }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == Array(1...150))
        let state = try await storage.load(address).state
        #expect(Torture.count(in: state) == 150)
        #expect(Torture.isWhole(state))
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "4: what changes nothing, or is discarded, raises no revision",
        arguments: StorageEngine.allCases)
    func quietOperations(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        _ = try await storage.change(alice) { draft in
            Self.put("a", "1", &draft)
            draft.discard()
        }
        #expect(try await storage.page(of: alice.tenant).isEmpty)
        _ = try await storage.change(alice) { Self.put("a", "1", &$0) }
        let again = try await storage.change(alice) { Self.put("a", "1", &$0) }
        #expect(again.answer.outcome == .unchanged)
        #expect(again.snapshot.state.revision.rawValue == 1)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "5: a jar that does not exist reads as empty and is not made by that",
        arguments: StorageEngine.allCases)
    func absence(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let state = try await storage.load(alice).state
        #expect(state.contents == JarState.empty.contents)
        #expect(try await storage.page(of: alice.tenant).isEmpty)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "lists jars by name in pages, without those that were deleted",
        arguments: StorageEngine.allCases)
    func listing(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let names = ["m", "b", "z", "a", "B", "~", "c", "k"]
        for name in names {
            _ = try await storage.change(StorageWorld.address(name)) { Self.put("a", "1", &$0) }
        }
        _ = try await storage.change(StorageWorld.address("k")) {
            $0.deleteJar(now: StorageWorld.start)
        }
        var found: [String] = []
        var after: JarID?
        while true {
            let page = try await storage.page(of: alice.tenant, after: after, limit: 3)
            found += page.map(\.jar.description)
            guard let last = page.last else { break }
            #expect(page.count <= 3)
            after = last.jar
        }
        #expect(found == ["B", "a", "b", "c", "m", "z", "~"])
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "gives the changes of a jar after any revision, in order and without a gap",
        arguments: StorageEngine.allCases)
    func feed(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        #expect(try await storage.feed(of: alice, since: 0).newest == .zero)
        let other = StorageWorld.address("bob")
        var made: [Change] = []
        for index in 1...20 {
            _ = try await storage.change(other) { Self.put("o", "\(index)", &$0) }
            made += try await storage.change(alice) { draft in
                Self.put("a", "\(index)", &draft)
                if index == 10 { _ = draft.deleteStore(Self.native, now: StorageWorld.start) }
                return draft.changes
            }.answer
        }
        let last = UInt64(made.count)
        #expect(made.map(\.revision.rawValue) == Array(1...last))
        for since in 0...last {
            let page = try await storage.feed(of: alice, since: since, limit: 5)
            #expect(page.changes == Array(made.dropFirst(Int(since)).prefix(5)))
            #expect(page.newest.rawValue == last)
            #expect(page.floor == .zero)
        }
        for since in [last + 1, UInt64.max] {
            let page = try await storage.feed(of: alice, since: since)
            #expect(page.changes.isEmpty)
            #expect(page.newest.rawValue == last)
        }
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "8: a commit wakes those that watch its jar, when its changes can be read",
        arguments: StorageEngine.allCases)
    func watching(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let rings = AsyncStream<UInt64>.makeStream()
        let watch = storage.commits.watch(alice) { rings.continuation.yield($0.rawValue) }
        var heard = rings.stream.makeAsyncIterator()
        for index in 1...20 {
            _ = try await storage.change(StorageWorld.address("bob")) {
                Self.put("o", "\(index)", &$0)
            }
            _ = try await storage.change(alice) { Self.put("a", "\(index)", &$0) }
            // What changes nothing wakes nobody.
            _ = try await storage.change(alice) { Self.put("a", "\(index)", &$0) }
            // A ring may come twice.
            var revision = await heard.next()
            while let repeated = revision, repeated < UInt64(index) {
                revision = await heard.next()
            }
            #expect(revision == UInt64(index))
            let page = try await storage.feed(of: alice, since: UInt64(index - 1))
            #expect(page.changes.map(\.revision.rawValue) == [UInt64(index)])
        }
        watch.cancel()
        _ = try await storage.change(alice) { Self.put("a", "last", &$0) }
        storage.close()
        rings.continuation.finish()
        while let repeated = await heard.next() { #expect(repeated == 20) }
        withExtendedLifetime(directory) {}
    }

    private struct Refused: Error {}

    private static func key(
        _ name: String, _ fingerprint: UInt8 = 1, at seconds: Int64 = 0
    ) -> WriteKey {
        let now = StorageWorld.start.adding(seconds: seconds)
        return WriteKey(
            key: Array(name.utf8), fingerprint: [fingerprint], at: now,
            expires: now.adding(seconds: 60))
    }

    /// Counts up, and answers with the count.
    private static let counted: @Sendable (inout JarDraft) -> Result<[UInt8], Refused> = { draft in
        .success(Array("\(Torture.increment(&draft))".utf8))
    }

    private func once(
        _ key: WriteKey, in storage: any JarStorage, of address: JarAddress
    ) async throws -> String? {
        let answer = try await storage.change(address, once: key, Self.counted)
        guard case .answered(let body) = answer else { return nil }
        return String(decoding: body, as: UTF8.self)
    }

    @Test(
        "9: a write with a key takes effect once, until its answer expires",
        arguments: StorageEngine.allCases)
    func onceOnly(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let address = Torture.addresses[0]
        #expect(try await once(Self.key("a"), in: storage, of: address) == "1")
        #expect(try await once(Self.key("a"), in: storage, of: address) == "1")
        #expect(try await once(Self.key("b"), in: storage, of: address) == "2")
        #expect(try await once(Self.key("a", at: 59), in: storage, of: address) == "1")
        await #expect(throws: JarStorageError.keyReused) {
            try await self.once(Self.key("a", 2), in: storage, of: address)
        }
        #expect(try await storage.load(address).state.revision.rawValue > 0)
        #expect(try await once(Self.key("a", 2, at: 60), in: storage, of: address) == "3")
        let other = StorageWorld.address("jar", of: "other")
        #expect(try await once(Self.key("a", 3), in: storage, of: other) == "1")
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "9: of calls with one key that come together, one runs",
        arguments: StorageEngine.allCases)
    func onceTogether(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let address = Torture.addresses[0]
        let answers = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<60 {
                group.addTask {
                    try await self.once(Self.key("k\(index % 3)"), in: storage, of: address)
                }
            }
            return try await group.reduce(into: [String?: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["1": 20, "2": 20, "3": 20])
        #expect(Torture.count(in: try await storage.load(address).state) == 3)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "9: keeps the answer of what changes nothing, and none of what refuses",
        arguments: StorageEngine.allCases)
    func onceWithoutChange(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let refusal: OnceAnswer<Refused> = try await storage.change(alice, once: Self.key("r")) {
            Self.put("a", "1", &$0)
            $0.discard()
            return .failure(Refused())
        }
        guard case .refused = refusal else { return #expect(Bool(false)) }
        let quiet: OnceAnswer<Refused> = try await storage.change(alice, once: Self.key("q")) { _ in
            .success([1])
        }
        guard case .answered([1]) = quiet else { return #expect(Bool(false)) }
        #expect(try await storage.load(alice).state.revision == .zero)
        let again: OnceAnswer<Refused> = try await storage.change(alice, once: Self.key("q")) { _ in
            .success([2])
        }
        guard case .answered([1]) = again else { return #expect(Bool(false)) }
        let used: OnceAnswer<Refused> = try await storage.change(alice, once: Self.key("r")) {
            Self.put("a", "1", &$0)
            return .success([3])
        }
        guard case .answered([3]) = used else { return #expect(Bool(false)) }
        #expect(try await storage.load(alice).state.revision.rawValue == 1)
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "a copy from before a deletion does not bring the cookie back",
        arguments: StorageEngine.allCases)
    func lateCopies(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let webview = StorageWorld.store("webview")
        let there = SyncRequest(from: Self.native, to: webview, mode: .merge)
        let back = SyncRequest(from: webview, to: Self.native, mode: .merge)
        let start = StorageWorld.start
        for request in [back, SyncRequest(from: webview, to: Self.native, mode: .twoWay)] {
            _ = try await storage.change(alice) { draft in
                Self.put("late", "1", &draft)
                _ = draft.sync(there, rules: StorageWorld.rules, now: start)
            }
            _ = try await storage.change(alice) { draft in
                draft.delete(StorageWorld.identity("late"), in: Self.native, now: start)
            }
            let state = try await storage.change(alice) { draft in
                draft.sync(request, rules: StorageWorld.rules, now: start)
            }.snapshot.state
            #expect(state[Self.native].cookies[StorageWorld.identity("late")] == nil)
        }
        // What is set after the deletion is new, and goes everywhere.
        _ = try await storage.change(alice) { Self.put("late", "2", &$0) }
        let state = try await storage.change(alice) { draft in
            draft.sync(there, rules: StorageWorld.rules, now: start)
        }.snapshot.state
        #expect(
            state[webview].cookies[StorageWorld.identity("late")]?.value.bytes == Array("2".utf8))
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test("tenants do not see each other", arguments: StorageEngine.allCases)
    func tenants(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let other = StorageWorld.address("alice", of: "other")
        _ = try await storage.change(alice) { Self.put("a", "1", &$0) }
        #expect(try await !storage.load(other).state.isPresent)
        _ = try await storage.change(other) { Self.put("a", "2", &$0) }
        let own = try await storage.load(alice).state[Self.native].liveCookies(
            at: StorageWorld.start)
        #expect(own.map(\.value.bytes) == [Array("1".utf8)])
        storage.close()
        withExtendedLifetime(directory) {}
    }

    @Test(
        "refuses calls once it is closed, and finishes those before",
        arguments: StorageEngine.allCases)
    func closing(engine: StorageEngine) async throws {
        let (storage, directory) = try engine.make()
        let finished = Atomic(0)
        for index in 0..<50 {
            storage.write(alice, operation: { Self.put("n", "\(index)", &$0) }) { result in
                if case .success = result { finished.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        storage.close()
        #expect(finished.load(ordering: .relaxed) == 50)
        await #expect(throws: JarStorageError.unavailable) { try await storage.load(self.alice) }
        await #expect(throws: JarStorageError.unavailable) {
            try await storage.change(self.alice) { Self.put("n", "1", &$0) }
        }
        withExtendedLifetime(directory) {}
    }
}
