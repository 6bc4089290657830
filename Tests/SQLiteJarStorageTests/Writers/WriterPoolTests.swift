// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The writers")
struct WriterPoolTests {
    @Test("keep few tenants open, however many there are")
    func openTenants() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.maximumOpenTenants = 4
        configuration.snapshotCacheBytes = 0
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        for round in 1...2 {
            for tenant in 0..<40 {
                let address = StorageWorld.address("alice", of: "t\(tenant)")
                let answer = try await storage.change(address, Torture.increment).answer
                #expect(answer == round)
                // Files of idle tenants are closed before the next call is taken from the queue, or right after.
                #expect(try openDatabases(in: directory) <= 4 + configuration.writerThreads)
            }
        }
        for tenant in 0..<40 {
            let address = StorageWorld.address("alice", of: "t\(tenant)")
            #expect(try await Torture.count(in: storage.load(address).state) == 2)
        }
        storage.close()
        #expect(try openDatabases(in: directory) == 0)
    }

    @Test("keep the log from growing without end under writes that leave no pause")
    func sustainedWrites() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        (configuration.foldThreshold, configuration.foldChunk) = (16, 4)
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        let most = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<200 {
                let jar = StorageWorld.address("jar-\(writer % 8)")
                group.addTask {
                    for round in 0..<6 {
                        _ = try await storage.change(jar) { draft in
                            for part in 0..<4 {
                                let cookie = StorageWorld.cookie(
                                    "c\(round)-\(part)", "1", domain: "d\(writer).example.com")
                                _ = draft.put(
                                    cookie, in: StorageWorld.store("native"),
                                    rules: StorageWorld.rules, now: StorageWorld.start)
                            }
                        }
                        let unfolded = storage.counters.unfoldedChanges
                        most.withLock { $0 = max($0, unfolded) }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Four times what is folded in peace, and what one round has written.
        #expect(most.withLock { $0 } <= 4 * 16 + 4 * 256)
        #expect(most.withLock { $0 } > 0)
        storage.close()
    }

    @Test("close no tenant that another thread is at work on")
    func busyTenants() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.maximumOpenTenants = 1
        configuration.writerThreads = 4
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for tenant in 0..<8 {
                group.addTask {
                    let address = StorageWorld.address("alice", of: "t\(tenant)")
                    var count = 0
                    for _ in 0..<30 {
                        count = try await storage.change(address, Torture.increment).answer
                    }
                    return count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [Int](repeating: 30, count: 8))
        storage.close()
    }

    @Test("refuse what is more than a queue holds, and lose nothing of the rest")
    func queueLimit() async throws {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.queueLimit = 10
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        let address = Torture.addresses[0]
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let outcomes = Locked<[JarStorageError?]>([])
        let done = DispatchGroup()
        done.enter()
        storage.write(
            address,
            operation: { _ in
                entered.signal()
                gate.wait()
            }, completion: { _ in done.leave() })
        await Self.wait(for: entered)
        for _ in 0..<15 {
            done.enter()
            storage.write(address, operation: { Torture.increment(&$0) }) { result in
                let error: JarStorageError? =
                    if case .failure(let error) = result { error } else { nil }
                outcomes.withLock { $0.append(error) }
                done.leave()
            }
        }
        // Another tenant does not notice.
        _ = try await storage.change(Torture.addresses[7], Torture.increment)
        gate.signal()
        await done.finish()
        let seen = outcomes.withLock { $0 }
        #expect(seen.count { $0 == nil } == 10)
        #expect(seen.count { $0 == .busy } == 5)
        #expect(try await Torture.count(in: storage.load(address).state) == 10)
        storage.close()
    }

    @Test("share one sync among what has queued")
    func groupCommit() async throws {
        let directory = try TemporaryDirectory()
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
            logger: .silent)
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let address = Torture.addresses[0]
        storage.write(
            address,
            operation: { _ in
                entered.signal()
                gate.wait()
            }, completion: { _ in })
        await Self.wait(for: entered)
        let seen = Locked<[UInt64]>([])
        let done = DispatchGroup()
        for _ in 0..<50 {
            done.enter()
            storage.write(address, operation: { Torture.increment(&$0) }) { _ in
                // All of them are committed when the first of them is told.
                let newest = storage.cached(address)?.state.revision.rawValue ?? 0
                seen.withLock { $0.append(newest) }
                done.leave()
            }
        }
        gate.signal()
        await done.finish()
        #expect(Set(seen.withLock { $0 }).count == 1)
        storage.close()
    }

    @Test("a cached read does not wait for a writer")
    func readsDuringWrites() async throws {
        let directory = try TemporaryDirectory()
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
            logger: .silent)
        let address = Torture.addresses[0]
        _ = try await storage.change(address, Torture.increment)
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        storage.write(
            address,
            operation: { draft in
                _ = Torture.increment(&draft)
                entered.signal()
                gate.wait()
            }, completion: { _ in })
        await Self.wait(for: entered)
        #expect(storage.cached(address).map { Torture.count(in: $0.state) } == 1)
        gate.signal()
        storage.close()
    }

    @Test("fold when they are idle, another tenant that is busy notwithstanding")
    func idleFolding() async throws {
        // Longer and longer, as the machine may be busier than the tenant.
        for milliseconds in [500, 4_000, 20_000] {
            if try await isFolded(whileBusyFor: milliseconds) { return }
        }
        Issue.record("the idle tenant was not folded")
    }

    /// Whether an idle tenant is folded while another one's writes follow each other.
    private func isFolded(whileBusyFor milliseconds: Int) async throws -> Bool {
        let directory = try TemporaryDirectory()
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        configuration.idleFoldMilliseconds = 50
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        _ = try await storage.change(Torture.addresses[7], Torture.increment)
        _ = try await storage.change(Torture.addresses[0], Torture.increment)
        let start = MonotonicTime.now
        while MonotonicTime.now < start.adding(milliseconds: milliseconds) {
            _ = try await storage.change(Torture.addresses[7], Torture.increment)
        }
        storage.close()
        let folder = DataDirectory(path: directory.path).folder(of: Torture.addresses[0].tenant)
        let database = try TenantDatabase.open(folder)
        defer { try? database.close() }
        return database.unfoldedCount == 0
    }

    /// Waits on a thread that nobody else needs.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    private func openDatabases(in directory: TemporaryDirectory) throws -> Int {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(directory.path) == true
                && target?.hasSuffix("jar.sqlite") == true
        }
    }
}
