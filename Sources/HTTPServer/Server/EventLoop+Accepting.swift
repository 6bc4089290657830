// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization
internal import Telemetry

// Accepting, handing out and draining.
extension EventLoop {
    /// How many connections are accepted before others have their turn.
    private static let acceptBatch = 64
    /// How often a pause is worth a line, in milliseconds.
    private static let logInterval: Int64 = 10_000

    /// Accepts what is waiting, and hands each connection to the loop that has fewest.
    mutating func acceptConnections() {
        for _ in 0..<Self.acceptBatch {
            guard let step = acceptor?.next(now: engine.now) else { return }
            switch step {
            case .adopt(let descriptor, let peer): hand(descriptor, peer)
            case .refuse(let descriptor): refuse(descriptor)
            case .stop:
                if acceptor?.isPaused == true { pauseAccepting() }
                return
            }
        }
    }

    /// Takes the listener out of the poller, until there is room or time has passed.
    private mutating func pauseAccepting() {
        guard let listener = acceptor?.listener else { return }
        poller.remove(listener)
        guard engine.now - lastPauseLogged >= Self.logInterval else { return }
        lastPauseLogged = engine.now
        core.logger.log(
            .warning, "pause accepting: connections or descriptors used up",
            ["open": .number(core.census.openCount)])
    }

    /// Goes on accepting after a pause.
    mutating func resumeAccepting() {
        guard let listener = acceptor?.listener, acceptor?.isPaused == true else { return }
        acceptor?.resume()
        _ = poller.add(listener, Poller.readable, key: Self.listenerKey)
    }

    private mutating func hand(_ descriptor: Int32, _ peer: PeerAddress) {
        let target = quietestLoop()
        mailboxes[target].connections.add(1, ordering: .relaxed)
        if target == index {
            adopt(descriptor, peer)
        } else if !mailboxes[target].post(.adopt(descriptor: descriptor, peer: peer)) {
            forget(descriptor, peer, of: target)
        }
    }

    private func quietestLoop() -> Int {
        var (quietest, fewest) = (0, Int.max)
        for (loop, mailbox) in mailboxes.enumerated() {
            let count = mailbox.connections.load(ordering: .relaxed)
            if count < fewest { (quietest, fewest) = (loop, count) }
        }
        return quietest
    }

    /// Makes a connection this loop's own.
    mutating func adopt(_ descriptor: Int32, _ peer: PeerAddress) {
        guard !isDraining else { return forget(descriptor, peer, of: index) }
        let state = ConnectionState(openedAt: engine.now, engine.timeouts)
        let slot = table.insert(descriptor: descriptor, peer: peer, state: state)
        table[slot].interest = Poller.readable
        guard poller.add(descriptor, Poller.readable, key: table[slot].key) else {
            return close(slot)
        }
        wheel.schedule(slot, by: state.deadline)
    }

    private func forget(_ descriptor: Int32, _ peer: PeerAddress, of loop: Int) {
        Glibc.close(descriptor)
        mailboxes[loop].connections.subtract(1, ordering: .relaxed)
        if core.census.leave(peer) { mailboxes[0].post(.resumeAccepting) }
    }

    /// Answers 503 to a connection that there is no room for, as far as that works at once.
    private mutating func refuse(_ descriptor: Int32) {
        engine.renderRefusal()
        let output = engine.output
        engine.output.removeAll(keepingCapacity: true)
        _ = output.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
        // Unread bytes would turn the close into a reset, which may overtake the answer.
        _ = recv(descriptor, received.baseAddress, received.count, 0)
        Glibc.close(descriptor)
        acceptor?.restoreSpare()
    }

    /// Begins to stop: nothing new, and what is in flight gets until the deadline.
    mutating func drain(_ milliseconds: Int) {
        stopAt = min(stopAt, engine.now + Int64(milliseconds))
        guard !isDraining else { return }
        isDraining = true
        closeListener()
        for slot in 0..<table.slotCount where !table[slot].isVacant {
            apply(table[slot].state.handle(.drain, at: engine.now, engine.timeouts), to: slot)
        }
    }

    mutating func closeListener() {
        acceptor?.closeAll()
        acceptor = nil
    }
}
