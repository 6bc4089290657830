// SPDX-License-Identifier: Apache-2.0

// What other threads say to a loop about its connections.
extension EventLoop {
    /// Sends the answer to a deferred request, unless nobody waits for it any more.
    mutating func deliver(_ response: HTTPResponse, _ ticket: Ticket) {
        guard let slot = deferredSlot(ticket) else { return response.body.cancel() }
        engine.deliver(response, on: &table[slot])
        flush(slot)
        if !table[slot].isVacant { resume(slot) }
    }

    /// Answers for a handler that has given up.
    mutating func abandon(_ ticket: Ticket) {
        guard let slot = deferredSlot(ticket) else { return }
        engine.answer(.handlerFailed, on: &table[slot])
        flush(slot)
        if !table[slot].isVacant { resume(slot) }
    }

    /// Goes on with a source that has something again, or a sink that has room again.
    mutating func signal(_ ticket: Ticket) {
        guard let slot = slot(of: ticket) else { return }
        if table[slot].stream != nil {
            table[slot].stream?.isWaiting = false
            flush(slot)
        } else if table[slot].state.isPaused {
            engine.resumeBody(&table[slot])
            flush(slot)
        }
        if !table[slot].isVacant { resume(slot) }
    }

    private func deferredSlot(_ ticket: Ticket) -> Int? {
        guard let slot = slot(of: ticket), table[slot].state.phase == .handler else { return nil }
        return slot
    }

    private func slot(of ticket: Ticket) -> Int? {
        guard let slot = table.find(slot: ticket.slot, generation: ticket.generation),
            table[slot].requestNumber == ticket.request
        else { return nil }
        return slot
    }
}

extension HTTPResponse.Body {
    /// Tells a source that nobody will read it.
    func cancel() {
        if case .stream(let source) = self { source.cancel() }
    }
}
