// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A thread with a connection of its own: it takes what has queued, does all of it in a few round trips, and begins anew.
///
/// While it waits for the server, more queues up; so the busier it is, the more calls share a round trip and a commit.
final class Lane: Sendable {
    /// For how long a call may take, its time in the queue included.
    static let callMilliseconds = 4_800
    /// What is left of that at least when a call is begun.
    private static let leastMilliseconds = 500

    private let number: Int
    private let queue: JobQueue
    private let bell: EventDescriptor
    private let context: LaneContext

    init(_ number: Int, queue: JobQueue, bell: EventDescriptor, context: LaneContext) {
        self.number = number
        self.queue = queue
        self.bell = bell
        self.context = context
    }

    /// The thread's whole life.
    func work() {
        var pause: Int32 = 100
        while true {
            let connection: PostgresConnection
            do {
                connection = try context.connect()
                pause = 100
            } catch {
                refuse(queue.disconnect(number, isHopeless: true), error.storageError)
                if queue.isClosing { return }
                _ = bell.wait(beside: nil, milliseconds: pause)
                pause = min(pause * 2, 1_000)
                continue
            }
            queue.connect(number)
            let interrupted = serve(connection)
            _ = queue.disconnect(number, isHopeless: false, returning: interrupted ?? [])
            if interrupted == nil { return }
        }
    }

    /// Works until the connection is of no more use; answers what is still to be done, by whichever lane is free, or nil
    /// when the lane has nothing to do any more.
    private func serve(_ connection: PostgresConnection) -> [Job]? {
        while connection.isUsable {
            guard let next = queue.take(number) else { return nil }
            guard !next.isEmpty else {
                if bell.wait(beside: connection.socket, milliseconds: -1) { connection.notice() }
                continue
            }
            // A server that went away meanwhile is noticed before anything is sent, which would then be in doubt.
            connection.notice()
            guard connection.isUsable else { return next }
            let (jobs, late) = splitLate(next)
            refuse(late, .unavailable)
            let interrupted = run(jobs, on: connection)
            let kept = Set(interrupted.compactMap(\.claim))
            queue.release(jobs.filter { $0.claim.map { !kept.contains($0) } ?? false })
            if !interrupted.isEmpty { return interrupted }
        }
        return []
    }

    /// Does the jobs; answers those that are to be done once more on another connection.
    private func run(_ jobs: [Job], on connection: PostgresConnection) -> [Job] {
        let first = jobs.map(\.arrival).min() ?? .now
        let deadline = first.adding(milliseconds: Self.callMilliseconds)
        var reads = ReadRound(connection, context, until: deadline)
        var records = RecordRound(connection, context, until: deadline)
        var catalogue = CatalogueRound(connection, context, until: deadline)
        var onces = OnceRound(connection, context, until: deadline)
        var writes = WriteRound(connection, context, until: deadline)
        for job in jobs {
            switch job.kind {
            case .read, .readTenant, .readCatalogue, .query: reads.add(job)
            case .writeCatalogue: catalogue.add(job)
            case .writeTenant: records.add(job)
            case .write: writes.add(job)
            case .writeOnce: onces.add(job)
            }
        }
        // What may have to wait for another node comes last.
        return reads.run() + records.run() + writes.run() + onces.run() + catalogue.run()
    }

    /// Those that still have time, and those that do not.
    private func splitLate(_ jobs: [Job]) -> (inTime: [Job], late: [Job]) {
        let time = MonotonicTime.now.adding(milliseconds: Self.leastMilliseconds)
        let isLate = { (job: Job) in
            job.arrival.adding(milliseconds: Self.callMilliseconds) < time
        }
        return (jobs.filter { !isLate($0) }, jobs.filter(isLate))
    }

    private func refuse(_ jobs: [Job], _ error: JarStorageError) {
        queue.release(jobs)
        for job in jobs { job.refuse(error) }
    }
}

/// What the lanes of a storage share.
struct LaneContext: Sendable {
    let info: ConnectionInfo
    let cache: KnownStates
    let catalogue: KnownCatalogue
    let requiresTenants: Bool
    let health: EngineHealth
    let commits: CommitWatchers
    /// Tells other nodes of a commit.
    var tell: @Sendable (JarAddress, Revision) -> Void = { _, _ in }
    /// Calls something after so many milliseconds, on a thread that no lane needs.
    var later: @Sendable (Int, @escaping @Sendable () -> Void) -> Void = { _, body in body() }

    /// Opens a connection, ready for every statement.
    func connect() throws(PostgresError) -> PostgresConnection {
        let connection = try Self.open(info, statements: Statements.all, health)
        if requiresTenants {
            var script = Script()
            script.add(Statements.requireTenants)
            let deadline = MonotonicTime.now.adding(milliseconds: 3_000)
            if let failure = connection.run(script, until: deadline).failure { throw failure }
        }
        health.connected()
        return connection
    }

    /// Opens a connection with these statements prepared, and lets `health` know of a failure.
    static func open(
        _ info: ConnectionInfo, statements: [Statement], _ health: EngineHealth,
        milliseconds: Int = 3_000
    ) throws(PostgresError) -> PostgresConnection {
        do throws(PostgresError) {
            guard let raw = info.connect() else { throw PostgresError.lost("connect") }
            return try PostgresConnection(
                raw, statements: statements, until: .now.adding(milliseconds: milliseconds))
        } catch {
            health.report(error)
            throw error
        }
    }
}
