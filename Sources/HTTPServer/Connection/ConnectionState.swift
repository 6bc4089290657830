// SPDX-License-Identifier: Apache-2.0
// What a connection is doing and until when, without a socket, a clock or a byte: events in, actions out, the time as a
// parameter. Deadlines are arithmetic:
//
//   idle       between requests; on a new connection the time for the head runs already
//   head       part of a head has arrived; the time runs from its first byte, whatever arrives
//   body       content is being read; it may pause for `body`, and after `bodyGrace` must have kept its rate on average
//   handler    another thread owes the answer
//   streaming  an answer is being pulled from its source
//   closing    the last answer is in the output; what comes in is no longer read
//   lingering  our side is shut; reading on until the client has shut its own, so that the answer is not lost to a reset
//   closed     the end
//
// Beside the phase there is the output: when the client does not take what was written, the connection is blocked, reads
// nothing, and has to make progress before `responseStall` is over. What the client cannot send meanwhile is not held
// against it: the times of idle, head and body stand still, and begin anew with the input.

/// The state of one connection.
struct ConnectionState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case idle, head, body, handler, streaming, closing, lingering, closed
    }

    enum Event: Equatable, Sendable {
        /// The first byte of a head that is not complete.
        case headBegan
        /// The head is complete and the content is to be read.
        case bodyBegan
        /// So much of the content arrived.
        case bodyArrived(Int)
        /// The content's taker cannot take more for now.
        case bodyPaused
        /// The content's taker can go on.
        case bodyResumed
        /// The answer will come from elsewhere, within so many milliseconds.
        case deferred(Int)
        /// The answer's head is in the output and its content will be pulled.
        case streamBegan
        /// The whole answer is in the output.
        case answered(closes: Bool)
        /// The client did not take all of the output.
        case outputBlocked
        /// The client took some of it.
        case outputProgressed
        /// The client took all of it.
        case outputDrained
        /// The client will send no more.
        case peerFinished
        /// So much was read and thrown away.
        case discarded(Int)
        /// Some time has passed.
        case timePassed
        /// The server is stopping.
        case drain
    }

    enum Action: Equatable, Sendable {
        case none
        /// Close at once.
        case close
        /// Shut our side and read on for a while.
        case linger
        /// Answer the fault in place of what was expected.
        case answer(HTTPFault)
    }

    /// How much is read and thrown away at most after the last answer: more than the largest body that is usually taken,
    /// for a client that sends all of one before it reads why that was refused.
    static let lingerBytes = 16 << 20
    private static let never = Int64.max

    private(set) var phase = Phase.idle
    /// Whether output waits for the client.
    private(set) var isBlocked = false
    /// Whether the client will send no more.
    private(set) var hasPeerFinished = false
    /// Whether the current answer is the last one because the server is stopping.
    private(set) var isDraining = false
    private var isFresh = true
    /// Whether the taker of the content cannot take more for now.
    private(set) var isPaused = false
    private var phaseDeadline: Int64
    private var stallDeadline = never
    private var bodyStart: Int64 = 0
    private var bodyBytes: Int64 = 0
    private var discardedBytes = 0

    /// A connection that was just accepted.
    init(openedAt now: Int64, _ timeouts: HTTPTimeouts) {
        phaseDeadline = now + Int64(timeouts.header)
    }

    /// When `timePassed` has something to do at the earliest, in milliseconds of the monotonic clock.
    var deadline: Int64 {
        switch phase {
        case .idle, .head, .body: isBlocked ? stallDeadline : phaseDeadline
        default: min(phaseDeadline, stallDeadline)
        }
    }

    /// Whether input is parsed now.
    var readsInput: Bool {
        guard !isBlocked else { return false }
        return switch phase {
        case .idle, .head: true
        case .body: !isPaused
        default: false
        }
    }

    /// Whether input that is there has to be kept, because it will be parsed later.
    var willReadInput: Bool {
        switch phase {
        case .closing, .lingering, .closed: false
        default: true
        }
    }

    /// Whether part of a request has arrived, and the rest has not.
    var isReading: Bool { phase == .head || phase == .body }

    /// Takes an event.
    ///
    /// - Returns: What has to be done about it.
    mutating func handle(_ event: Event, at now: Int64, _ timeouts: HTTPTimeouts) -> Action {
        switch event {
        case .answered(let closes): return answered(closes: closes, at: now, timeouts)
        case .headBegan: headBegan(at: now, timeouts)
        case .bodyBegan, .bodyArrived, .bodyPaused, .bodyResumed: body(event, at: now, timeouts)
        case .deferred(let milliseconds): enter(.handler, until: now + Int64(milliseconds))
        case .streamBegan: enter(.streaming, until: Self.never)
        case .outputBlocked, .outputProgressed:
            isBlocked = true
            stallDeadline = now + Int64(timeouts.responseStall)
        case .outputDrained: return outputDrained(at: now, timeouts)
        case .peerFinished: return peerFinished()
        case .discarded(let count):
            discardedBytes += count
            if discardedBytes > Self.lingerBytes { return close() }
        case .timePassed: return timePassed(at: now)
        case .drain: return drain()
        }
        return .none
    }

    private mutating func enter(_ next: Phase, until deadline: Int64) {
        phase = next
        phaseDeadline = deadline
        isFresh = false
    }

    private mutating func close() -> Action {
        enter(.closed, until: Self.never)
        stallDeadline = Self.never
        return .close
    }

    private mutating func headBegan(at now: Int64, _ timeouts: HTTPTimeouts) {
        guard phase == .idle else { return }
        enter(.head, until: isFresh ? phaseDeadline : now + Int64(timeouts.header))
    }

    private mutating func body(_ event: Event, at now: Int64, _ timeouts: HTTPTimeouts) {
        switch event {
        case .bodyBegan:
            bodyStart = now
            bodyBytes = 0
            isPaused = false
        case .bodyArrived(let count): bodyBytes += Int64(count)
        case .bodyPaused: isPaused = true
        default:
            // The time of the pause is not the client's.
            isPaused = false
            bodyStart = now
            bodyBytes = 0
        }
        let earned = bodyBytes * 1000 / Int64(timeouts.bodyBytesPerSecond)
        let slowest = bodyStart + Int64(timeouts.bodyGrace) + earned
        enter(
            .body,
            until: isPaused
                ? now + Int64(timeouts.handler) : min(now + Int64(timeouts.body), slowest))
    }

    private mutating func answered(closes: Bool, at now: Int64, _ timeouts: HTTPTimeouts) -> Action
    {
        guard closes || isDraining else {
            enter(.idle, until: now + Int64(timeouts.idle))
            return .none
        }
        enter(.closing, until: Self.never)
        return .none
    }

    /// Called after every attempt to write that left nothing, so also when nothing was blocked before.
    private mutating func outputDrained(at now: Int64, _ timeouts: HTTPTimeouts) -> Action {
        let wasBlocked = isBlocked
        isBlocked = false
        stallDeadline = Self.never
        switch phase {
        case .closing where hasPeerFinished: return close()
        case .closing:
            enter(.lingering, until: now + Int64(timeouts.linger))
            return .linger
        case .idle: phaseDeadline = max(phaseDeadline, now + Int64(timeouts.idle))
        case .head where wasBlocked: phaseDeadline = now + Int64(timeouts.header)
        case .body where wasBlocked && !isPaused: body(.bodyResumed, at: now, timeouts)
        default: break
        }
        return .none
    }

    private mutating func peerFinished() -> Action {
        hasPeerFinished = true
        switch phase {
        case .idle where isBlocked:
            enter(.closing, until: Self.never)
            return .none
        case .idle, .lingering: return close()
        case .head, .body: return .answer(.incompleteRequest)
        case .handler, .streaming, .closing, .closed: return .none
        }
    }

    private mutating func timePassed(at now: Int64) -> Action {
        guard now >= deadline else { return .none }
        if now >= stallDeadline { return close() }
        switch phase {
        case .idle, .lingering: return close()
        case .head: return .answer(.headerTimeout)
        case .body: return .answer(isPaused ? .overloaded : .bodyTimeout)
        case .handler: return .answer(.handlerTimeout)
        case .streaming, .closing, .closed: return .none
        }
    }

    private mutating func drain() -> Action {
        isDraining = true
        guard phase == .idle else { return .none }
        guard isBlocked else { return close() }
        enter(.closing, until: Self.never)
        return .none
    }
}
