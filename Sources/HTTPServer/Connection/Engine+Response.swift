// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

// From an answer to the bytes of the output.
extension Engine {
    /// Does what the handler has decided in the exchange.
    mutating func finishExchange(on connection: inout Connection) {
        if exchange.fields.refusedCount > 0 {
            counters.fieldsRefused.add(exchange.fields.refusedCount, ordering: .relaxed)
        }
        switch exchange.outcome {
        case .scratch(let status):
            let closes = closes(connection, exchange.closesConnection)
            let start = output.count
            serializer.write(
                status, exchange.fields, exchange.body, terms: connection.terms, closes: closes,
                to: &output)
            connection.record.status = status.code
            connection.record.bytesSent = output.count - start
            closeRecord(of: &connection, exchange.note)
            finish(&connection, closes: closes)
        case .response(let response):
            connection.record.note = exchange.note
            send(response, on: &connection, closes: exchange.closesConnection)
        case .deferred(let seconds):
            connection.isDeferred = true
            connection.onAbandon = exchange.onAbandon
            connection.record.note = exchange.note
            counters.deferred.add(1, ordering: .relaxed)
            let longest = ServerConfiguration.maximumHandlerSeconds
            let milliseconds = seconds.map { max(0, min($0, longest)) * 1000 } ?? timeouts.handler
            _ = connection.state.handle(.deferred(milliseconds), at: now, timeouts)
        case .none:
            connection.record.note = exchange.note
            answer(.handlerFailed, on: &connection)
        }
    }

    /// Sends a response.
    ///
    /// - Parameters:
    ///   - response: The response; its stream is begun to be pulled.
    ///   - connection: The connection that waits for it.
    ///   - closes: Whether the connection ends with it, whatever the response and the client say.
    mutating func send(_ response: HTTPResponse, on connection: inout Connection, closes: Bool) {
        if response.fields.refusedCount > 0 {
            counters.fieldsRefused.add(response.fields.refusedCount, ordering: .relaxed)
        }
        let terms = connection.terms
        var closes = self.closes(connection, closes || response.closesConnection)
        let start = output.count
        connection.record.status = response.status.code
        switch response.body {
        case .bytes(let body):
            serializer.write(
                response.status, response.fields, body, terms: terms, closes: closes, to: &output)
        case .stream(let source):
            // Without chunks, the end of the connection is the end of the content.
            closes = closes || (terms.isLegacy && !terms.isHead)
            serializer.writeStreamHead(
                response.status, response.fields, terms: terms, closes: closes, to: &output)
            guard terms.isHead || response.status.forbidsContent else {
                connection.record.bytesSent = output.count - start
                begin(source, on: &connection, closes: closes)
                return
            }
            source.cancel()
        }
        connection.record.bytesSent = output.count - start
        closeRecord(of: &connection)
        finish(&connection, closes: closes)
    }

    /// Answers a fault, and gives up on the request that it is about.
    mutating func answer(_ fault: HTTPFault, on connection: inout Connection) {
        endDeferral(&connection)
        abandonRequest(&connection)
        counters.faults.add(1, ordering: .relaxed)
        if !connection.record.isOpen { openRecord(of: &connection, bytes: 0) }
        var response = errors.response(to: fault, &connection.record.note)
        if fault.isTransient { response.fields.append("Retry-After", retryAfter) }
        if fault == .unsupportedContentCoding { response.fields.append("Accept-Encoding", "gzip") }
        send(response, on: &connection, closes: fault.closesConnection)
    }

    /// Takes the answer to a deferred request.
    mutating func deliver(_ response: HTTPResponse, on connection: inout Connection) {
        endDeferral(&connection, isAnswered: true)
        send(response, on: &connection, closes: false)
    }

    /// Notes that nobody owes an answer any more, and says so if it has not come.
    func endDeferral(_ connection: inout Connection, isAnswered: Bool = false) {
        guard connection.isDeferred else { return }
        connection.isDeferred = false
        counters.deferred.subtract(1, ordering: .relaxed)
        let onAbandon = connection.onAbandon.take()
        if !isAnswered { onAbandon?() }
    }

    private func finish(_ connection: inout Connection, closes: Bool) {
        connection.terms = .unknown
        _ = connection.state.handle(.answered(closes: closes), at: now, timeouts)
    }

    private func closes(_ connection: Connection, _ wish: Bool) -> Bool {
        wish || !connection.terms.keepsAlive || connection.state.isDraining
    }

    private mutating func begin(
        _ source: any HTTPBodySource, on connection: inout Connection, closes: Bool
    ) {
        connection.stream = ResponseStream(
            source: source, isChunked: !connection.terms.isLegacy, closes: closes)
        _ = connection.state.handle(.streamBegan, at: now, timeouts)
        source.start(HTTPStreamSignal(mailbox, connection.ticket))
        pull(&connection)
    }

    /// Pulls content into the output, as far as there is room and the source has any.
    mutating func pull(_ connection: inout Connection) {
        while var stream = connection.stream, !stream.isWaiting {
            let limit = min(streamBufferBytes, stream.source.unsentLimit)
            let room = limit - connection.pendingOutput - output.count
            guard room > 0 else { return }
            piece.removeAll(keepingCapacity: true)
            let progress = stream.source.read(into: &piece, room: min(room, Self.pieceBytes))
            let start = output.count
            writePiece(isChunked: stream.isChunked)
            connection.record.bytesSent += output.count - start
            switch progress {
            case .more where !piece.isEmpty: break
            case .more, .wait:
                stream.isWaiting = true
                connection.stream = stream
            case .end:
                if stream.isChunked { output.append("0\r\n\r\n") }
                connection.stream = nil
                closeRecord(of: &connection)
                finish(&connection, closes: stream.closes)
            case .failed:
                connection.stream = nil
                connection.isCut = true
            }
        }
    }

    private static let pieceBytes = 32 << 10

    private mutating func writePiece(isChunked: Bool) {
        guard !piece.isEmpty else { return }
        if isChunked {
            output.append(hexadecimal: piece.count)
            output.append("\r\n")
        }
        output.append(contentsOf: piece)
        if isChunked { output.append("\r\n") }
    }

    /// Writes the answer to a connection that there is no room for.
    mutating func renderRefusal() {
        var note = RequestNote()
        var response = errors.response(to: .overloaded, &note)
        response.fields.append("Retry-After", retryAfter)
        guard case .bytes(let body) = response.body else { return }
        serializer.write(
            response.status, response.fields, body, terms: .unknown, closes: true, to: &output)
    }

    /// Empties the output and keeps its memory, within reason.
    mutating func trimOutput() {
        if output.capacity > Self.outputLimit {
            output = []
        } else {
            output.removeAll(keepingCapacity: true)
        }
    }

    private static let outputLimit = 1 << 20
}
