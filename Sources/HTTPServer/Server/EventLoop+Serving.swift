// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization

// Reading from and writing to the connections of a loop.
extension EventLoop {
    private static let noSignal = Int32(MSG_NOSIGNAL)
    /// How often a stream is pulled before others have their turn.
    private static let pullRounds = 8

    mutating func serve(_ slot: Int, _ events: UInt32) {
        if events & Poller.broken != 0 { return close(slot) }
        if events & Poller.peerFinished != 0, table[slot].endsWithClient { return close(slot) }
        if events & Poller.writable != 0 {
            writeOn(slot)
            if table[slot].isVacant { return }
        }
        if events & Poller.readable != 0 { read(slot) }
    }

    private mutating func read(_ slot: Int) {
        let phase = table[slot].state.phase
        guard phase == .lingering || (table[slot].state.readsInput && !table[slot].hasBacklog)
        else {
            // Asked for again as soon as input can be used.
            return setInterest(slot, reads: false)
        }
        let count = recv(table[slot].descriptor, received.baseAddress, received.count, 0)
        if count > 0 {
            if phase == .lingering {
                handle(.discarded(count), on: slot)
            } else {
                feed(slot, UnsafeBufferPointer(rebasing: received[..<count]))
            }
        } else if count == 0 {
            setInterest(slot, reads: false)
            handle(.peerFinished, on: slot)
        } else if errno != EAGAIN, errno != EINTR {
            close(slot)
        }
    }

    /// Processes input that was just received, and keeps what cannot be used yet.
    private mutating func feed(_ slot: Int, _ input: UnsafeBufferPointer<UInt8>) {
        var used = 0
        while used < input.count, table[slot].state.readsInput {
            used += engine.process(&table[slot], UnsafeBufferPointer(rebasing: input[used...]))
            flush(slot)
            if table[slot].isVacant { return }
        }
        if used < input.count, table[slot].state.willReadInput {
            table[slot].backlog = Array(input[used...])
        }
        settle(slot)
    }

    /// Processes what was received earlier, if that is possible now.
    mutating func resume(_ slot: Int) {
        while !table[slot].isVacant, table[slot].hasBacklog, table[slot].state.readsInput {
            let (backlog, start) = table[slot].takeBacklog()
            let used = backlog.withUnsafeBufferPointer {
                engine.process(&table[slot], UnsafeBufferPointer(rebasing: $0[start...]))
            }
            if start + used < backlog.count {
                table[slot].backlog = backlog
                table[slot].backlogStart = start + used
            }
            flush(slot)
        }
        if table[slot].isVacant { return }
        if table[slot].state.hasPeerFinished, !table[slot].hasBacklog, table[slot].state.readsInput
        {
            handle(.peerFinished, on: slot)
        } else {
            settle(slot)
        }
    }

    /// Tells the state of a connection what has happened, and does what follows.
    mutating func handle(_ event: ConnectionState.Event, on slot: Int) {
        apply(table[slot].state.handle(event, at: engine.now, engine.timeouts), to: slot)
        if !table[slot].isVacant { settle(slot) }
    }

    mutating func apply(_ action: ConnectionState.Action, to slot: Int) {
        switch action {
        case .none: break
        case .close: close(slot)
        case .linger:
            shutdown(table[slot].descriptor, Int32(SHUT_WR))
            setInterest(slot, reads: true)
        case .answer(let fault):
            engine.answer(fault, on: &table[slot])
            flush(slot)
        }
    }

    mutating func timePassed(_ slot: Int) {
        handle(.timePassed, on: slot)
        if !table[slot].isVacant { resume(slot) }
    }

    /// Brings everything outside of the connection in line with it: memory accounts, timer, interest.
    private mutating func settle(_ slot: Int) {
        if !engine.settleBudget(&table[slot]) {
            guard table[slot].state.isReading else {
                return close(slot)
            }
            engine.answer(.overloaded, on: &table[slot])
            _ = engine.settleBudget(&table[slot])
            flush(slot)
            if table[slot].isVacant { return }
        }
        let state = table[slot].state
        if state.deadline != Int64.max { wheel.schedule(slot, by: state.deadline) }
        if state.readsInput, !state.hasPeerFinished { setInterest(slot, reads: true) }
        if table[slot].isVacant { return }
        let finish = table[slot].endsWithClient ? Poller.peerFinished : 0
        setInterest(slot, table[slot].interest & ~Poller.peerFinished | finish)
    }

    private mutating func setInterest(_ slot: Int, reads: Bool) {
        let current = table[slot].interest
        setInterest(
            slot, reads ? current | Poller.readable : current & ~Poller.readable)
    }

    private mutating func setInterest(_ slot: Int, _ interest: UInt32) {
        guard interest != table[slot].interest else { return }
        table[slot].interest = interest
        if !poller.modify(table[slot].descriptor, interest, key: table[slot].key) { close(slot) }
    }

    // MARK: Writing

    /// Sends the loop's output on a connection, and pulls more as long as the client takes it.
    mutating func flush(_ slot: Int) {
        sendOutput(slot)
        var rounds = 0
        while !table[slot].isVacant, !table[slot].state.isBlocked, let stream = table[slot].stream,
            !stream.isWaiting
        {
            rounds += 1
            guard rounds <= Self.pullRounds else {
                mailbox.post(.signal(table[slot].ticket))
                return
            }
            engine.pull(&table[slot])
            sendOutput(slot)
        }
    }

    private mutating func sendOutput(_ slot: Int) {
        defer { engine.trimOutput() }
        if table[slot].pendingOutput > 0 {
            table[slot].output.append(contentsOf: engine.output)
        } else if !engine.output.isEmpty {
            guard let sent = write(slot, engine.output, from: 0) else { return close(slot) }
            if sent < engine.output.count {
                table[slot].output = Array(engine.output[sent...])
                table[slot].outputStart = 0
                _ = table[slot].state.handle(.outputBlocked, at: engine.now, engine.timeouts)
                setInterest(slot, table[slot].interest | Poller.writable)
                if table[slot].isVacant { return }
            }
        }
        if table[slot].isCut { return close(slot) }
        if table[slot].pendingOutput == 0, table[slot].state.phase == .closing {
            apply(
                table[slot].state.handle(.outputDrained, at: engine.now, engine.timeouts), to: slot)
        }
    }

    /// Goes on with what the client had not taken.
    private mutating func writeOn(_ slot: Int) {
        guard let sent = write(slot, table[slot].output, from: table[slot].outputStart) else {
            return close(slot)
        }
        table[slot].outputStart += sent
        if table[slot].pendingOutput > 0 {
            if sent > 0 {
                _ = table[slot].state.handle(.outputProgressed, at: engine.now, engine.timeouts)
            }
            return settle(slot)
        }
        table[slot].output = []
        table[slot].outputStart = 0
        setInterest(slot, table[slot].interest & ~Poller.writable)
        if table[slot].isVacant { return }
        apply(table[slot].state.handle(.outputDrained, at: engine.now, engine.timeouts), to: slot)
        if table[slot].isVacant { return }
        flush(slot)
        if !table[slot].isVacant { resume(slot) }
    }

    /// Sends bytes.
    ///
    /// - Returns: How many were taken; nil if the client has gone.
    private func write(_ slot: Int, _ bytes: [UInt8], from start: Int) -> Int? {
        let sent = bytes.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return send(table[slot].descriptor, rest.baseAddress, rest.count, Self.noSignal)
        }
        if sent >= 0 {
            engine.counters.bytesSent.add(sent, ordering: .relaxed)
            return sent
        }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Ends a connection and everything that was going on for it.
    mutating func close(_ slot: Int) {
        guard !table[slot].isVacant else { return }
        if table[slot].pendingOutput > 0 { Socket.resetOnClose(table[slot].descriptor) }
        engine.release(&table[slot])
        wheel.cancel(slot)
        Glibc.close(table[slot].descriptor)
        mailbox.connections.subtract(1, ordering: .relaxed)
        if core.census.leave(table[slot].peer) { mailboxes[0].post(.resumeAccepting) }
        table.remove(slot)
    }
}
