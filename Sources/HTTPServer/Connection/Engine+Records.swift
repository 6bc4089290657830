// SPDX-License-Identifier: Apache-2.0

// What the loop's observer is told. A request's record is opened with its head, or with the fault that there was in place
// of one, and closed exactly once: with its answer, with the end of its stream, or with its connection.
extension Engine {
    /// Begins to take down a request, on a note that is empty.
    mutating func openRecord(of connection: inout Connection, bytes: Int) {
        exchange.note.clear()
        guard observer != nil else { return }
        connection.record.startedAt = Clock.nanoseconds()
        connection.record.bytesReceived = bytes
        connection.record.bytesSent = 0
        connection.record.isOpen = true
    }

    /// Tells the observer of a request that has ended, by the note in its record.
    func closeRecord(of connection: inout Connection) {
        // Taken out: the next request's note is written into the same memory, which nobody else may hold then.
        var note = RequestNote()
        swap(&note, &connection.record.note)
        closeRecord(of: &connection, note)
    }

    /// Tells the observer of a request that has ended.
    func closeRecord(of connection: inout Connection, _ note: borrowing RequestNote) {
        guard connection.record.isOpen else { return }
        connection.record.isOpen = false
        let now = Clock.nanoseconds()
        // Not bound, which would take a reference for each request.
        observer?.ended(
            RequestOutcome(
                status: connection.record.status,
                nanoseconds: now &- connection.record.startedAt, endedAt: now,
                bytesReceived: connection.record.bytesReceived,
                bytesSent: connection.record.bytesSent), note)
    }

    /// Tells the observer of a request whose connection ends before it: a stream has its status, for everything else the
    /// client has left.
    func abandonRecord(of connection: inout Connection) {
        guard connection.record.isOpen else { return }
        if connection.stream == nil { connection.record.status = RequestOutcome.clientLeft }
        closeRecord(of: &connection)
    }
}
