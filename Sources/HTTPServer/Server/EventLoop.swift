// SPDX-License-Identifier: Apache-2.0
// One thread, one epoll instance, and the connections that live and die on it. A read takes what fits into the loop's
// receive buffer; all requests in it are answered into the loop's output, which goes out in one write. A read that did
// not fill the buffer has emptied the socket, so nothing is read twice. Only a connection that has to wait — for more
// of a request, for another thread, for a slow client — gets memory of its own.

internal import CLinux
internal import Glibc
internal import Synchronization
internal import Telemetry

/// What a loop is made of before its thread runs.
struct LoopSeed: Sendable {
    let core: ServerCore
    let index: Int
    let epoll: Int32
    /// Of all loops; the first accepts.
    let mailboxes: [Mailbox]
    let counters: LoopCounters
    /// The listening socket, for the loop that accepts.
    let listener: Int32?
}

/// One event loop.
struct EventLoop: ~Copyable {
    static let mailboxKey = UInt64.max
    static let listenerKey = UInt64.max - 1
    private static let receiveBytes = 64 << 10

    let core: ServerCore
    let index: Int
    let mailboxes: [Mailbox]
    let mailbox: Mailbox
    let poller: Poller
    var engine: Engine
    var table = ConnectionTable()
    var wheel: TimerWheel
    var acceptor: Acceptor?
    /// When a pause of accepting was last worth a line.
    var lastPauseLogged = Int64.min / 2
    var isDraining = false
    var stopAt = Int64.max
    let received: UnsafeMutableBufferPointer<UInt8>
    private var messages: [LoopMessage] = []
    private var due: [Int] = []

    init(_ seed: LoopSeed) {
        core = seed.core
        index = seed.index
        mailboxes = seed.mailboxes
        mailbox = seed.mailboxes[seed.index]
        poller = Poller(descriptor: seed.epoll)
        engine = Engine(seed.core, mailbox: mailbox, counters: seed.counters)
        acceptor = seed.listener.map { Acceptor(listener: $0, census: seed.core.census) }
        received = UnsafeMutableBufferPointer.allocate(capacity: Self.receiveBytes)
        received.initialize(repeating: 0)
        wheel = TimerWheel(now: Clock.monotonic())
    }

    deinit {
        received.deallocate()
    }

    /// Serves until the server has drained.
    mutating func run() {
        engine.setTime(milliseconds: Clock.monotonic(), date: Clock.date())
        while !hasEnded {
            engine.observer?.flush()
            let count = poller.wait(milliseconds: waitTime())
            engine.setTime(milliseconds: Clock.monotonic(), date: Clock.date())
            for index in 0..<count { dispatch(poller[index].key, poller[index].events) }
            runTimers()
        }
        end()
    }

    private var hasEnded: Bool {
        isDraining && (table.count == 0 || engine.now >= stopAt)
    }

    /// How long to wait for events, in milliseconds; -1 for ever.
    private func waitTime() -> Int32 {
        var wait = wheel.delay(from: engine.now) ?? Int64.max
        if stopAt != Int64.max { wait = min(wait, max(0, stopAt - engine.now)) }
        if let retryAt = acceptor?.retryAt, retryAt != Int64.max {
            wait = min(wait, max(0, retryAt - engine.now))
        }
        // The clock is coarse: a little later is surely late enough.
        return wait == Int64.max ? -1 : Int32(clamping: wait + 1)
    }

    private mutating func dispatch(_ key: UInt64, _ events: UInt32) {
        switch key {
        case Self.mailboxKey: readMailbox()
        case Self.listenerKey: acceptConnections()
        default:
            let slot = UInt32(truncatingIfNeeded: key)
            if let slot = table.find(slot: slot, generation: UInt32(truncatingIfNeeded: key >> 32))
            {
                serve(slot, events)
            }
        }
    }

    private mutating func runTimers() {
        wheel.advance(to: engine.now, due: &due)
        for slot in due where !table[slot].isVacant { timePassed(slot) }
        due.removeAll(keepingCapacity: true)
        if let retryAt = acceptor?.retryAt, engine.now >= retryAt { resumeAccepting() }
    }

    private mutating func readMailbox() {
        var taken: [LoopMessage] = []
        swap(&taken, &messages)
        mailbox.collect(into: &taken)
        for message in taken { take(message) }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &messages)
    }

    private mutating func take(_ message: LoopMessage) {
        switch message {
        case .adopt(let descriptor, let peer): adopt(descriptor, peer)
        case .respond(let ticket, let response): deliver(response, ticket)
        case .abandon(let ticket): abandon(ticket)
        case .signal(let ticket): signal(ticket)
        case .resumeAccepting: resumeAccepting()
        case .drain(let milliseconds): drain(milliseconds)
        }
    }

    /// Closes what is left.
    private mutating func end() {
        closeListener()
        for slot in 0..<table.slotCount where !table[slot].isVacant { close(slot) }
        engine.observer?.flush()
        for message in mailbox.shut() {
            switch message {
            case .adopt(let descriptor, let peer):
                Glibc.close(descriptor)
                _ = core.census.leave(peer)
            case .respond(_, let response): response.body.cancel()
            default: break
            }
        }
    }
}
