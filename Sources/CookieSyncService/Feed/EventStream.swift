// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage
import Locks
import Synchronization

/// A stream of events to one client (`text/event-stream`).
///
/// The hub puts events in, the connection's event loop takes them out as the client reads. What waits is a view of
/// bytes that all followers share, and never more than the buffer's size, the server's part of it included: beyond it
/// the stream is told nothing until its client has taken all of that, and then catches up from the storage; and a
/// client that takes nothing for too long is let go.
final class EventStream: FeedFollower, HTTPBodySource {
    /// Events of a batch that wait, and up to where the client has been told once they are sent.
    private struct Piece: Sendable {
        let batch: EventBatch
        var next: Int
        let end: Int
        var reached: Revision
    }

    private struct State: Sendable {
        var signal: HTTPStreamSignal?
        /// Whether it is the answer to its request by now.
        var hasOpened = false
        /// Whether the first octets of it were given.
        var hasBegun = false
        var pieces: [Piece] = []
        var first = 0
        var waitingBytes = 0
        /// Whether there was no room for what came last.
        var isFull = false
        /// When the client last took something while it was full.
        var progressAt = Int64.max
        /// Up to where it has been told.
        var told: Revision
        /// The last id that it was sent.
        var lastID: Revision
        var owesHeartbeat = false
        var ending: FeedEnd?

        var isEmpty: Bool { first == pieces.count }
    }

    /// How much of the buffer the server may have.
    private static let unsentBytes = 16 << 10

    let filter: FeedFilter
    let permit: FeedPermit
    private let seat: FeedSeat
    private let settings: FeedSettings
    private let endsAt: Int64
    private let responder: Reply
    private let id: RequestID
    private let state: Locked<State>

    init(
        filter: FeedFilter, since: Revision, permit: FeedPermit, seat: FeedSeat,
        settings: FeedSettings, responder: Reply, id: RequestID
    ) {
        self.filter = filter
        self.permit = permit
        self.seat = seat
        self.settings = settings
        self.responder = responder
        self.id = id
        endsAt = FeedClock.now + Int64(settings.lifetimeMilliseconds)
        state = Locked(State(told: since, lastID: since))
    }

    // MARK: For the hub

    var wantsHeartbeats: Bool { true }
    var hasRoom: Bool { state.withLock { !$0.isFull } }

    var deadline: Int64 {
        state.withLock { state in
            let last = min(endsAt, permit.endsAt)
            guard state.isFull else { return last }
            return min(last, state.progressAt + Int64(settings.patienceMilliseconds))
        }
    }

    func begin() {
        state.withLock { $0.hasOpened = true }
        var response = HTTPResponse.empty(.ok, id)
        response.fields.append("Content-Type", "text/event-stream")
        // A proxy that gathers an answer before it passes it on would defeat the purpose.
        response.fields.append("X-Accel-Buffering", "no")
        response.body = .stream(self)
        responder.send(response)
    }

    func take(_ page: FeedPage, after revision: Revision) -> FeedStep {
        let batch = page.events(filter)
        let (reached, signal) = state.withLock { state in
            Self.file(
                batch, after: revision, upTo: page.end,
                room: settings.bufferBytes - Self.unsentBytes, in: &state)
        }
        signal?.signal()
        return .reached(reached)
    }

    private static func file(
        _ batch: EventBatch, after revision: Revision, upTo end: Revision, room: Int,
        in state: inout State
    ) -> (Revision, HTTPStreamSignal?) {
        let start = batch.firstIndex(after: revision)
        var stop = start
        // An event that is larger than the buffer must not stop the stream.
        while stop < batch.marks.count,
            batch.marks[stop].end - batch.start(of: start) + state.waitingBytes <= room
                || (state.isEmpty && stop == start)
        {
            stop += 1
        }
        let isWhole = stop == batch.marks.count
        let reached = isWhole ? end : stop > start ? batch.marks[stop - 1].revision : revision
        if !isWhole {
            state.isFull = true
            state.progressAt = FeedClock.now
        }
        guard stop > start else {
            if state.isEmpty {
                state.told = reached
            } else {
                state.pieces[state.pieces.count - 1].reached = reached
            }
            return (reached, nil)
        }
        state.waitingBytes += batch.start(of: stop) - batch.start(of: start)
        state.pieces.append(Piece(batch: batch, next: start, end: stop, reached: reached))
        return (reached, state.signal)
    }

    func beat() {
        let signal = state.withLock { state in
            state.owesHeartbeat = true
            return state.signal
        }
        signal?.signal()
    }

    func fault(at now: Int64) -> FeedEnd? {
        if now >= permit.endsAt { return .revoked }
        if let fault = permit.fault() { return fault }
        if now >= endsAt { return .timedOut }
        return state.withLock { state in
            guard state.isFull else { return nil }
            return now - state.progressAt >= settings.patienceMilliseconds ? .slow : nil
        }
    }

    func end(_ reason: FeedEnd, at revision: Revision) {
        if case .slow = reason { seat.tally.dropped.add(1, ordering: .relaxed) }
        let (hasOpened, signal) = state.withLock { state in
            state.ending = reason
            if case .slow = reason {
                // What is not sent will be read again by whoever comes back.
                state.pieces = []
                state.first = 0
                state.waitingBytes = 0
            }
            return (state.hasOpened, state.signal)
        }
        if hasOpened {
            signal?.signal()
        } else {
            responder.send(.problem(reason.problem, id))
        }
    }

    // MARK: For the event loop

    var unsentLimit: Int { Self.unsentBytes }
    var endsWithClient: Bool { true }

    func start(_ signal: HTTPStreamSignal) {
        state.withLock { $0.signal = signal }
    }

    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
        let (progress, count, hasRoomAgain) = state.withLock { state in
            Self.give(room, from: &state, to: &output)
        }
        if count > 0 { seat.tally.eventsSent.add(count, ordering: .relaxed) }
        if hasRoomAgain { seat.hasRoomAgain() }
        return progress
    }

    func cancel() { seat.leave() }

    private static func give(
        _ room: Int, from state: inout State, to output: inout [UInt8]
    ) -> (HTTPSourceProgress, events: Int, hasRoomAgain: Bool) {
        let limit = output.count + room
        if !state.hasBegun {
            state.hasBegun = true
            output.append(contentsOf: StreamNote.opening)
        }
        var count = 0
        while !state.isEmpty, output.count < limit {
            giveEvent(from: &state, to: &output)
            count += 1
        }
        if state.isFull, count > 0 { state.progressAt = FeedClock.now }
        guard state.isEmpty else { return (.more, count, false) }
        if let ending = state.ending {
            StreamNote.appendEnd(ending, state.told, to: &output)
            return (.end, count, false)
        }
        if state.owesHeartbeat {
            state.owesHeartbeat = false
            StreamNote.appendHeartbeat(
                state.told == state.lastID ? nil : state.told, to: &output)
            state.lastID = state.told
        }
        let hasRoomAgain = state.isFull
        state.isFull = false
        return (.wait, count, hasRoomAgain)
    }

    private static func giveEvent(from state: inout State, to output: inout [UInt8]) {
        let piece = state.pieces[state.first]
        let bytes = piece.batch.start(of: piece.next)..<piece.batch.start(of: piece.next + 1)
        output.append(contentsOf: piece.batch.bytes[bytes])
        state.waitingBytes -= bytes.count
        state.told = piece.batch.marks[piece.next].revision
        state.lastID = state.told
        state.pieces[state.first].next += 1
        guard piece.next + 1 == piece.end else { return }
        state.told = piece.reached
        state.first += 1
        guard state.isEmpty else { return }
        state.pieces.removeAll(keepingCapacity: true)
        state.first = 0
    }
}
