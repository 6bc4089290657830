// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("A round of a tenant's writer")
struct WriteBatchTests {
    private let directory: TemporaryDirectory
    private let context: WriterContext
    private let writer: TenantWriter
    private let full = Torture.addresses[0]
    private let other = Torture.addresses[1]

    init() throws {
        directory = try TemporaryDirectory()
        let configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        context = WriterContext(
            cache: SnapshotCache(limit: 1 << 20), tenants: TenantCache(limit: 1 << 20),
            onUnfinishedRules: { _ in },
            faults: FaultRegister(), sealing: .off,
            ballast: Ballast(path: "\(directory.path)/ballast"), logger: .silent,
            configuration: configuration, commits: CommitWatchers())
        writer = TenantWriter(
            tenant: full.tenant, folder: TenantFolder(parent: directory.path, name: "acme"),
            context: context)
    }

    private struct Call {
        let address: JarAddress
        let operation: @Sendable (inout JarDraft) -> Void

        init(_ address: JarAddress, _ operation: @escaping @Sendable (inout JarDraft) -> Void) {
            self.address = address
            self.operation = operation
        }
    }

    private enum Outcome: Equatable, Sendable {
        case count(Int)
        case failed(JarStorageError)

        init(_ result: Result<JarSnapshot, JarStorageError>) {
            switch result {
            case .success(let snapshot): self = .count(Torture.count(in: snapshot.state))
            case .failure(let error): self = .failed(error)
            }
        }
    }

    private func run(_ calls: [Call]) -> [Outcome] {
        let outcomes = Locked<[Outcome]>([])
        let jobs = calls.map { call in
            let operation = call.operation
            return Job.write(
                call.address.jar,
                { draft in
                    operation(&draft)
                    return { result in outcomes.withLock { $0.append(Outcome(result)) } }
                }, refuse: { error in outcomes.withLock { $0.append(.failed(error)) } })
        }
        WriteBatch.run(jobs, on: writer)
        return outcomes.withLock { $0 }
    }

    private static let increment: @Sendable (inout JarDraft) -> Void = {
        _ = Torture.increment(&$0)
    }

    private static let fill: @Sendable (inout JarDraft) -> Void = { draft in
        for index in 0..<150 {
            _ = draft.put(
                StorageWorld.cookie("c\(index)", String(repeating: "x", count: 4000)),
                in: StorageWorld.store("native"), rules: StorageWorld.rules,
                now: StorageWorld.start)
        }
    }

    @Test("answers each call with the state that it left behind")
    func ownStates() {
        let outcomes = run([
            Call(full, Self.increment), Call(full, Self.increment), Call(full, { _ in }),
        ])
        #expect(outcomes == [.count(1), .count(2), .count(2)])
    }

    @Test("an operation that discards what it did does not disturb its neighbours")
    func neighbours() {
        let outcomes = run([
            Call(full, Self.increment),
            Call(full) { draft in
                _ = Torture.increment(&draft)
                draft.discard()
            }, Call(full, Self.increment), Call(other, Self.increment),
        ])
        #expect(outcomes == [.count(1), .count(1), .count(2), .count(1)])
    }

    @Test("a commit that failed shows nothing, fails what hung on it, and nothing else")
    func failedCommit() throws {
        _ = run([Call(full, Self.increment), Call(other, Self.increment)])
        let database = try #require(try writer.openDatabase())
        let pages = try database.connection.integer("PRAGMA page_count")
        try database.connection.execute("PRAGMA max_page_count = \(pages)", "prepare")
        let outcomes = run([
            Call(full, Self.fill), Call(full, Self.increment), Call(full, { _ in }),
            Call(other, { _ in }),
        ])
        #expect(outcomes == [.failed(.full), .failed(.full), .failed(.full), .count(1)])
        #expect(context.cache.find(full).map { Torture.count(in: $0.state) } == 1)
        #expect(context.faults.all.map(\.code) == ["storage-full"])
        try database.connection.execute("PRAGMA max_page_count = 100000", "prepare")
        #expect(run([Call(full, Self.increment)]) == [.count(2)])
        #expect(context.faults.all.isEmpty)
        writer.close()
    }

    @Test("after a failure of the medium nothing is trusted before the log has been renewed")
    func failedMedium() throws {
        _ = run([Call(full, Self.increment)])
        let stale = try #require(context.cache.find(full))
        _ = run([Call(full, Self.increment)])
        // As if the second commit had failed in its sync: the reader's copy is from before, the row is there.
        context.cache.insert(stale, at: full)
        writer.fail(
            SQLiteError(code: 1034, systemError: 5, operation: "commit transaction"), "commit",
            doubtful: [full.jar])
        #expect(!writer.isOpen)
        #expect(run([Call(full, Self.increment)]) == [.count(3)])
        #expect(context.faults.all.isEmpty)
        writer.close()
    }

    @Test("a failure of the medium in the middle of a round counts for the round's own commit")
    func failedMediumWithinRound() throws {
        _ = run([Call(full, Self.increment)])
        // Only this thread uses it: the round runs before `run` returns.
        nonisolated(unsafe) let writer = writer
        let outcomes = run([
            Call(full) { draft in
                _ = Torture.increment(&draft)
                writer.fail(
                    SQLiteError(code: 266, systemError: 5, operation: "run statement"), "load")
            }
        ])
        #expect(outcomes == [.count(2)])
        writer.close()
        #expect(!writer.isWorthKeeping, "the log is still to be renewed")
    }
}
