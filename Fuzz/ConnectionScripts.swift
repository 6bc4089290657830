// SPDX-License-Identifier: Apache-2.0
// fuzz: HTTPServer Telemetry Locks
// battery: 00 01 02 03

internal import Locks
internal import Synchronization
internal import Telemetry

/// The life of one connection, without a socket: what the client sends, in which pieces, and what happens in between.
///
/// The first byte says how the handler answers and how long a script follows; then the script, then the bytes that the
/// client sends. Nothing may trap, no state may be left that nothing leads out of, and whoever comes and goes gives back
/// what was held. Where the script does nothing but cut, the answers are those to the bytes in one piece.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConnectionScripts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let length = min(Int(first >> 2) & 15, count - 1)
    let steps = input[1..<(1 + length)].map(Step.init)
    let bytes = Array(input[(1 + length)...])
    let answering = Answering(rawValue: first & 3) ?? .atOnce

    var life = Life(answering)
    for step in steps { life.take(step, bytes) }
    life.send(bytes, upTo: bytes.count)
    let output = life.output
    life.end()

    if answering == .atOnce, steps.allSatisfy(\.isCut) {
        var whole = Life(answering)
        whole.send(bytes, upTo: bytes.count)
        precondition(whole.output == output, "the split changes the answers")
        whole.end()
    }
    return 0
}

/// How the handler answers.
private enum Answering: UInt8 {
    case atOnce, later, streaming, taking
}

/// What happens next.
private enum Step {
    case send(Int), wait(Int64), block, drainOutput, answerOwed, peerFinishes, stop

    init(_ byte: UInt8) {
        let size = Int(byte >> 3)
        self =
            switch byte & 7 {
            case 0: .send(size + 1)
            case 1: .send((size + 1) * 64)
            case 2: .wait(Int64(size) * 500)
            case 3: .block
            case 4: .drainOutput
            case 5: .answerOwed
            case 6: .peerFinishes
            default: .stop
            }
    }

    var isCut: Bool {
        if case .send = self { true } else { false }
    }
}

/// A connection that is driven as the event loop drives it.
private struct Life: ~Copyable {
    private let core: ServerCore
    private let mailbox = Mailbox(descriptor: -1)
    private let handler: Handler
    private let counters = LoopCounters()
    private var engine: Engine
    private var connection: Connection
    private var now: Int64 = 0
    private var sent = 0
    private var isOpen = true
    private(set) var output: [UInt8] = []

    init(_ answering: Answering) {
        handler = Handler(answering)
        core = ServerCore(
            configuration: ServerConfiguration(), handler: handler, errors: PlainErrorRenderer(),
            logger: .silent)
        engine = Engine(core, mailbox: mailbox, counters: counters)
        engine.setTime(milliseconds: 0, date: 0)
        connection = Connection(
            descriptor: 0, peer: PeerAddress(ipv4: 0x7F00_0001), slot: 0, generation: 0,
            state: ConnectionState(openedAt: 0, core.configuration.timeouts))
    }

    mutating func take(_ step: Step, _ bytes: [UInt8]) {
        guard isOpen else { return }
        switch step {
        case .send(let count): send(bytes, upTo: sent + count)
        case .wait(let milliseconds):
            now += milliseconds
            engine.setTime(milliseconds: now, date: now / 1000)
            handle(.timePassed)
        case .block: handle(.outputBlocked)
        case .drainOutput: handle(.outputDrained)
        case .answerOwed:
            handler.answerOwed()
            readMailbox()
        case .peerFinishes: handle(.peerFinished)
        case .stop: handle(.drain)
        }
    }

    /// Has the client send its bytes as far as a place, as much of them as is read now.
    mutating func send(_ bytes: [UInt8], upTo end: Int) {
        while isOpen, sent < min(end, bytes.count), connection.state.readsInput {
            let piece = bytes[sent..<min(end, bytes.count)]
            let used = piece.withUnsafeBufferPointer { engine.process(&connection, $0) }
            precondition(0...piece.count ~= used, "more was used than there is")
            precondition(
                used > 0 || !engine.output.isEmpty || !connection.state.readsInput,
                "nothing was done")
            sent += used
            settle()
        }
    }

    /// Ends the connection, whatever it is doing.
    mutating func end() {
        engine.release(&connection)
        precondition(core.bodyBudget.reservedBytes == 0, "content in flight was not given back")
        precondition(counters.deferred.load(ordering: .relaxed) == 0, "an answer is still owed")
        precondition(handler.isQuiet, "a source or a sink was not told")
    }

    private mutating func handle(_ event: ConnectionState.Event) {
        switch connection.state.handle(event, at: now, engine.timeouts) {
        case .none, .linger: break
        case .close: isOpen = false
        case .answer(let fault): engine.answer(fault, on: &connection)
        }
        settle()
    }

    private mutating func readMailbox() {
        var messages: [LoopMessage] = []
        mailbox.collect(into: &messages)
        for message in messages where isOpen {
            switch message {
            case .respond(connection.ticket, let response):
                guard connection.state.phase == .handler else { continue }
                engine.deliver(response, on: &connection)
            case .signal(connection.ticket):
                if connection.stream != nil {
                    connection.stream?.isWaiting = false
                    engine.pull(&connection)
                } else if connection.state.isPaused {
                    engine.resumeBody(&connection)
                }
            default: break
            }
            settle()
        }
    }

    /// Takes what is to be sent, and holds the connection to what always has to be true.
    private mutating func settle() {
        output += engine.output
        engine.trimOutput()
        guard isOpen else { return }
        precondition(engine.settleBudget(&connection), "one connection fills the budget")
        let limits = core.configuration.limits
        precondition(
            connection.head.count <= limits.requestLineBytes + limits.fieldBlockBytes + 8 << 10,
            "a head is held that is too large")
        if connection.isCut { isOpen = false }
        if connection.state.phase == .closing, !connection.state.isBlocked {
            handle(.outputDrained)
        }
        guard isOpen, connection.state.phase != .streaming else { return }
        precondition(
            connection.state.deadline != .max || connection.state.phase == .closed,
            "a connection may wait for ever")
    }
}

/// Answers each request in one way.
private final class Handler: HTTPHandler {
    private struct State: Sendable {
        var owed: [HTTPResponder] = []
        var streams: [Stream] = []
    }

    private let answering: Answering
    private let state = Locked(State())

    init(_ answering: Answering) {
        self.answering = answering
    }

    /// Whether every stream has come to an end.
    var isQuiet: Bool { state.withLock { $0.streams.allSatisfy(\.hasEnded) } }

    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        guard answering == .taking else { return .collectBody(limit: 1 << 20) }
        return .streamBody(limit: 1 << 20, to: stream())
    }

    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        (request.bodySink as? Stream)?.end()
        switch answering {
        case .atOnce, .taking:
            exchange.body.append(contentsOf: request.path)
            exchange.body.append(contentsOf: request.body)
            exchange.send(.ok)
        case .later:
            let responder = exchange.deferResponse()
            state.withLock { $0.owed.append(responder) }
        case .streaming:
            exchange.send(HTTPResponse(status: .ok, body: .stream(stream())))
        }
    }

    /// Answers what is owed, and has each stream go on.
    func answerOwed() {
        let (owed, streams) = state.withLock { state in
            defer { state.owed = [] }
            return (state.owed, state.streams)
        }
        for responder in owed { responder.send(HTTPResponse(status: .ok, body: [0x6F, 0x6B])) }
        for stream in streams { stream.signal() }
    }

    private func stream() -> Stream {
        let stream = Stream()
        state.withLock { $0.streams.append(stream) }
        return stream
    }
}

/// A source of three pieces, and a sink that wants a pause after each piece.
private final class Stream: HTTPBodySource, HTTPBodySink {
    private struct State: Sendable {
        var signal: HTTPStreamSignal?
        var pieces = 3
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Whether nothing is to be expected of it, or it was never begun with.
    var hasEnded: Bool { state.withLock { $0.hasEnded || $0.signal == nil } }

    func start(_ signal: HTTPStreamSignal) {
        state.withLock { $0.signal = signal }
    }

    func signal() {
        state.withLock { $0.hasEnded ? nil : $0.signal }?.signal()
    }

    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
        let isLast = state.withLock { state in
            state.pieces -= 1
            if state.pieces == 0 { state.hasEnded = true }
            return state.pieces == 0
        }
        output.append(contentsOf: repeatElement(0x2E, count: min(room, 1000)))
        return isLast ? .end : .wait
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPSinkProgress { .pause }

    func cancel() { end() }

    func end() {
        state.withLock { $0.hasEnded = true }
    }
}
