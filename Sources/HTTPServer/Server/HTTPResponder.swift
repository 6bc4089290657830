// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Answers a deferred request, from any thread.
///
/// The answer is handed to the connection's event loop, which is woken once for all answers that gather until it looks.
/// If the client has gone meanwhile, or the server has answered 503 because it took too long, the answer is dropped.
public final class HTTPResponder: Sendable {
    private let mailbox: Mailbox?
    private let ticket: Ticket
    private let isUsed = Atomic(false)

    init(_ mailbox: Mailbox?, _ ticket: Ticket) {
        self.mailbox = mailbox
        self.ticket = ticket
    }

    deinit {
        if !isUsed.load(ordering: .relaxed) { mailbox?.post(.abandon(ticket)) }
    }

    /// Sends the answer.
    ///
    /// Only the first call has an effect.
    public func send(_ response: HTTPResponse) {
        guard !isUsed.exchange(true, ordering: .relaxed) else { return }
        if mailbox?.post(.respond(ticket, response)) != true { response.body.cancel() }
    }
}

/// Tells a connection's event loop that a source or a sink can go on.
///
/// May be used from any thread, at any time.
public struct HTTPStreamSignal: Sendable {
    private let mailbox: Mailbox
    private let ticket: Ticket

    init(_ mailbox: Mailbox, _ ticket: Ticket) {
        self.mailbox = mailbox
        self.ticket = ticket
    }

    /// Has the loop call `HTTPBodySource.read`, or take the next piece for an `HTTPBodySink`, soon.
    public func signal() {
        mailbox.post(.signal(ticket))
    }
}
