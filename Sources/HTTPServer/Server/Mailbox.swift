// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Locks
internal import Synchronization

/// Names one request of one connection of one loop, for as long as it takes to answer it.
struct Ticket: Sendable, Equatable {
    let slot: UInt32
    let generation: UInt32
    let request: UInt32
}

/// What other threads have to say to an event loop.
enum LoopMessage: Sendable {
    /// A new connection.
    case adopt(descriptor: Int32, peer: PeerAddress)
    /// The answer to a deferred request.
    case respond(Ticket, HTTPResponse)
    /// The responder of a deferred request was dropped without an answer.
    case abandon(Ticket)
    /// A source or a sink can go on.
    case signal(Ticket)
    /// There is room for connections again.
    case resumeAccepting
    /// Finish what is in flight, then end; after so many milliseconds, end.
    case drain(milliseconds: Int)
}

/// The way into an event loop from any thread.
///
/// The loop is woken once for all that gathers until it looks.
final class Mailbox: Sendable {
    private struct State: Sendable {
        var messages: [LoopMessage] = []
        var isClosed = false
    }

    private let state = Locked(State())
    /// Readable while there are messages.
    let descriptor: Int32
    /// How many connections the loop has, or is on the way to have.
    let connections = Atomic(0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        state.withLock { state in
            if !state.isClosed { close(descriptor) }
        }
    }

    /// Leaves a message.
    ///
    /// - Returns: Whether the loop will still see it.
    @discardableResult
    func post(_ message: LoopMessage) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            if state.messages.isEmpty { eventfd_write(descriptor, 1) }
            state.messages.append(message)
            return true
        }
    }

    /// Takes all messages, in exchange for an empty array whose memory is used for the next ones.
    func collect(into messages: inout [LoopMessage]) {
        var count: eventfd_t = 0
        state.withLock { state in
            eventfd_read(descriptor, &count)
            swap(&state.messages, &messages)
        }
    }

    /// Refuses messages from now on and releases the descriptor.
    ///
    /// - Returns: The messages that were left.
    func shut() -> [LoopMessage] {
        state.withLock { state in
            guard !state.isClosed else { return [] }
            state.isClosed = true
            close(descriptor)
            let left = state.messages
            state.messages = []
            return left
        }
    }
}
