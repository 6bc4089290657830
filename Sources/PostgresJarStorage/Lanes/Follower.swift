// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A thread with a connection of its own that tells other nodes of commits here, and watchers here of commits elsewhere.
///
/// Notifications only make it quick. They are sent after the commit they tell of, in one message for many, and one that is
/// lost does no harm: the jars that are watched are looked at every few seconds, more often on an engine without LISTEN.
final class Follower: Sendable {
    private static let channel = "cookiesync"
    private static let payloadLimit = 7_000
    /// Between two messages, so that a busy node sends few.
    private static let pauseMilliseconds = 20
    private static let pollMilliseconds = 1_000
    private static let listeningPollMilliseconds = 5_000

    private struct State {
        var commits: [JarAddress: Revision] = [:]
        /// What watchers here have been told since the jars were last looked at.
        var told: [JarAddress: Revision] = [:]
        var isIdle = false
        var isClosing = false
    }

    private let state = Locked(State())
    private let bell: EventDescriptor
    private let context: LaneContext

    init(bell: EventDescriptor, context: LaneContext) {
        self.bell = bell
        self.context = context
    }

    /// Has other nodes told of a commit.
    func tell(_ address: JarAddress, _ revision: Revision) {
        let isIdle = state.withLock { state in
            state.commits[address] = revision
            state.told[address] = revision
            defer { state.isIdle = false }
            return state.isIdle
        }
        if isIdle { bell.ring() }
    }

    /// Ends the thread.
    func close() {
        state.withLock { $0.isClosing = true }
        bell.ring()
    }

    /// The thread's whole life.
    func work() {
        while !isClosing {
            do throws(PostgresError) {
                let connection = try LaneContext.open(
                    context.info, statements: [Statements.enter, Statements.check], context.health)
                follow(on: connection)
            } catch {
                // Its failure has been told; what was committed meanwhile is found by looking.
                _ = bell.wait(beside: nil, milliseconds: Int32(Self.pollMilliseconds))
            }
            state.withLock { $0.commits = [:] }
        }
    }

    private var isClosing: Bool { state.withLock { $0.isClosing } }

    private func follow(on connection: PostgresConnection) {
        // An engine without it says so, and is polled.
        let isListening = ask(connection, "LISTEN \(Self.channel)") != nil
        let interval = isListening ? Self.listeningPollMilliseconds : Self.pollMilliseconds
        var nextPoll = MonotonicTime.now
        while connection.isUsable, !isClosing {
            if isListening { send(on: connection) } else { state.withLock { $0.commits = [:] } }
            for payload in connection.notifications() { ring(payload) }
            if nextPoll < .now {
                poll(connection)
                nextPoll = .now.adding(milliseconds: interval)
            }
            let isEmpty = state.withLock { state in
                state.isIdle = state.commits.isEmpty
                return state.isIdle
            }
            let rest = nextPoll.milliseconds - MonotonicTime.now.milliseconds
            let pause = isEmpty ? Int64(max(1, rest)) : Int64(Self.pauseMilliseconds)
            if bell.wait(beside: connection.socket, milliseconds: Int32(clamping: pause)) {
                connection.notice()
            }
        }
    }

    /// Tells of the commits since the last time: a line for each jar.
    private func send(on connection: PostgresConnection) {
        let commits = state.withLock { state in
            defer { state.commits = [:] }
            return state.commits
        }
        var payload: [UInt8] = []
        for (address, revision) in commits {
            payload += "\(address.tenant) \(address.jar) \(revision.rawValue)\n".utf8
            if payload.count > Self.payloadLimit {
                notify(payload, on: connection)
                payload = []
            }
        }
        if !payload.isEmpty { notify(payload, on: connection) }
    }

    private func notify(_ payload: [UInt8], on connection: PostgresConnection) {
        _ = ask(connection, "SELECT pg_notify('\(Self.channel)', $1)") { $0.octets(payload) }
    }

    /// Wakes the watchers of the jars that another node tells of.
    private func ring(_ payload: [UInt8]) {
        for line in payload.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.count == 3, let tenant = TenantID(parts[0]), let jar = JarID(parts[1]),
                let revision = UInt64(String(decoding: parts[2], as: UTF8.self))
            else { continue }
            tellWatchers(
                JarAddress(tenant: tenant, jar: jar), Revision(rawValue: revision))
        }
    }

    /// Looks at every jar that is watched, and wakes the watchers of those that are not as they were.
    private func poll(_ connection: PostgresConnection) {
        let watched = Set(context.commits.watched)
        state.withLock { $0.told = $0.told.filter { watched.contains($0.key) } }
        let groups = Dictionary(grouping: watched, by: \.tenant)
        let deadline = MonotonicTime.now.adding(milliseconds: 3_000)
        let answers = connection.ask(
            groups.map { .check($0.value.map(\.jar), of: $0.key) }, until: deadline)
        for (group, answer) in zip(groups, answers) {
            do throws(PostgresError) {
                let standings = try Standings(try answer.get())
                for address in group.value {
                    tellWatchers(address, standings.revision(of: address.jar))
                }
            } catch {
                context.health.report(error)
            }
        }
    }

    /// Wakes those that watch a jar, unless they know of the revision.
    ///
    /// One that nobody here has been told of may have come to be before it was watched.
    private func tellWatchers(_ address: JarAddress, _ revision: Revision) {
        let isNew = state.withLock { state in
            defer { state.told[address] = revision }
            return (state.told[address] ?? .zero) != revision
        }
        if isNew { context.commits.ring(address, revision) }
    }

    private func ask(
        _ connection: PostgresConnection, _ sql: String,
        _ build: (inout Parameters) -> Void = { _ in }
    ) -> QueryResult? {
        var script = Script()
        script.add(Statement(name: "", sql: sql), build)
        return connection.run(script, until: .now.adding(milliseconds: 3_000)).results.first
    }
}
