// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The listening socket, with what keeps accepting alive when connections or descriptors run out.
///
/// A spare descriptor is held. When there is none left, it is closed to accept one more connection, which is answered
/// 503 and closed: without that, the waiting connection would wake the loop again and again.
struct Acceptor {
    /// What to do with an accepted socket.
    enum Step {
        case adopt(Int32, PeerAddress)
        /// Answer 503 and close.
        case refuse(Int32)
        /// Nobody is waiting, or accepting has paused.
        case stop
    }

    /// How long accepting pauses after an error of the system.
    private static let pause: Int64 = 100

    let listener: Int32
    private let census: ConnectionCensus
    private var spare = Socket.openSpare()
    /// Whether the listener is out of the poller.
    private(set) var isPaused = false
    /// When to try again after an error of the system.
    private(set) var retryAt = Int64.max

    init(listener: Int32, census: ConnectionCensus) {
        self.listener = listener
        self.census = census
    }

    /// Takes one waiting connection.
    mutating func next(now: Int64) -> Step {
        guard census.hasRoom() else {
            isPaused = true
            return .stop
        }
        switch Socket.accept(listener) {
        case .connection(let descriptor, let peer):
            return census.enter(peer) ? .adopt(descriptor, peer) : .refuse(descriptor)
        case .none, .failed: return .stop
        case .exhausted: return shed(now: now)
        }
    }

    /// Tries again after a pause.
    mutating func resume() {
        isPaused = false
        retryAt = Int64.max
        if spare < 0 { spare = Socket.openSpare() }
    }

    func closeAll() {
        close(listener)
        if spare >= 0 { close(spare) }
    }

    private mutating func shed(now: Int64) -> Step {
        if spare >= 0 {
            close(spare)
            spare = -1
            if case .connection(let descriptor, _) = Socket.accept(listener) {
                census.noteRefusal()
                return .refuse(descriptor)
            }
        }
        isPaused = true
        retryAt = now + Self.pause
        return .stop
    }

    /// Takes the spare descriptor back after a connection that used it was closed.
    mutating func restoreSpare() {
        if spare < 0 { spare = Socket.openSpare() }
    }
}
