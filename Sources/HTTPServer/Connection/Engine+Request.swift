// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

// From a complete head to the handler's answer.
extension Engine {
    /// Begins a request whose head is complete.
    ///
    /// - Returns: How much of what follows the head was used.
    mutating func begin(
        _ connection: inout Connection, _ parser: RequestParser,
        _ bytes: UnsafeBufferPointer<UInt8>,
        following: UnsafeBufferPointer<UInt8>
    ) -> Int {
        connection.requestNumber &+= 1
        connection.terms = ResponseTerms(parser.head)
        counters.requests.add(1, ordering: .relaxed)
        openRecord(of: &connection, bytes: bytes.count)
        switch admission(connection, parser, bytes) {
        case .refuse(let response):
            connection.record.note = exchange.note
            send(response, on: &connection, closes: parser.head.framing.hasContent)
            return 0
        case .collectBody(let limit):
            if let fault = refusal(parser.head, limit) {
                connection.record.note = exchange.note
                answer(fault, on: &connection)
                return 0
            }
            guard let length = plainLength(parser.head), length <= following.count else {
                read(&connection, parser, bytes, limit: limit, sink: nil, following: following)
                return 0
            }
            let body = UnsafeBufferPointer(rebasing: following[..<length])
            connection.record.bytesReceived += length
            respond(on: &connection, parser, bytes, body: body, sink: nil)
            return length
        case .streamBody(let limit, let sink):
            if let fault = refusal(parser.head, limit) {
                sink.cancel()
                connection.record.note = exchange.note
                answer(fault, on: &connection)
                return 0
            }
            sink.start(HTTPStreamSignal(mailbox, connection.ticket))
            read(&connection, parser, bytes, limit: limit, sink: sink, following: following)
            return 0
        }
    }

    /// Asks the handler what becomes of the content.
    private mutating func admission(
        _ connection: borrowing Connection, _ parser: RequestParser,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> HTTPAdmission {
        let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        return parser.fields.withUnsafeBufferPointer { fields in
            handler.admit(
                HTTPRequest(
                    bytes: bytes, fields: fields, head: parser.head, peer: connection.peer,
                    body: empty, bodySink: nil), &exchange.note)
        }
    }

    /// Why a content is not even begun to be read.
    private func refusal(_ head: RequestHead, _ limit: Int) -> HTTPFault? {
        guard head.framing.hasContent else { return nil }
        if head.contentCoding == .unsupported { return .unsupportedContentCoding }
        return (head.framing.declaredLength ?? 0) > limit ? .bodyTooLarge : nil
    }

    /// The length of a content that is used as it was sent, if it has one.
    private func plainLength(_ head: RequestHead) -> Int? {
        switch head.framing {
        case .none: 0
        case .length(let length): head.contentCoding == .identity || length == 0 ? length : nil
        case .chunked: nil
        }
    }

    /// Begins to read a content, and keeps the head until it is there.
    private mutating func read(
        _ connection: inout Connection, _ parser: RequestParser,
        _ bytes: UnsafeBufferPointer<UInt8>,
        limit: Int, sink: (any HTTPBodySink)?, following: UnsafeBufferPointer<UInt8>
    ) {
        guard parser.head.framing.hasContent else {
            let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            return respond(on: &connection, parser, bytes, body: empty, sink: sink)
        }
        connection.record.note = exchange.note
        connection.body = BodyReader(parser.head, limit: limit, sink: sink, limits: limits)
        connection.head = Array(bytes)
        connection.parser = parser
        _ = connection.state.handle(.bodyBegan, at: now, timeouts)
        // A client that has begun to send does not wait for leave any more (RFC 9110 §10.1.1).
        if parser.head.expectsContinue, following.isEmpty {
            output.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
    }

    /// Reads on in the content.
    ///
    /// - Returns: How much of the input was used.
    mutating func readBody(
        _ connection: inout Connection, _ input: UnsafeBufferPointer<UInt8>
    ) -> Int {
        guard let reader = connection.body, let parser = connection.parser else {
            return input.count
        }
        var used = 0
        let step = reader.take(input, &used, limits: limits)
        connection.record.bytesReceived += used
        switch step {
        case .needsMore:
            _ = connection.state.handle(.bodyArrived(used), at: now, timeouts)
        case .paused:
            _ = connection.state.handle(.bodyArrived(used), at: now, timeouts)
            _ = connection.state.handle(.bodyPaused, at: now, timeouts)
        case .complete:
            let bytes = connection.head
            connection.endRequest()
            bytes.withUnsafeBufferPointer { bytes in
                reader.content.withUnsafeBufferPointer { content in
                    let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
                    respond(
                        on: &connection, parser, bytes, body: reader.sink == nil ? content : empty,
                        sink: reader.sink)
                }
            }
        case .refused(let response):
            connection.endRequest()
            send(response, on: &connection, closes: true)
        case .fault(let fault):
            answer(fault, on: &connection)
        }
        return used
    }

    /// Goes on with a content whose sink has room again, which may be complete already.
    mutating func resumeBody(_ connection: inout Connection) {
        _ = connection.state.handle(.bodyResumed, at: now, timeouts)
        _ = readBody(&connection, UnsafeBufferPointer(start: nil, count: 0))
    }

    /// Lets the handler answer a request that is complete.
    private mutating func respond(
        on connection: inout Connection, _ parser: RequestParser,
        _ bytes: UnsafeBufferPointer<UInt8>, body: UnsafeBufferPointer<UInt8>,
        sink: (any HTTPBodySink)?
    ) {
        exchange.note.clear()
        exchange.reset(
            coding: serializer.codingPolicy(connection.terms), ticket: connection.ticket)
        parser.fields.withUnsafeBufferPointer { fields in
            handler.respond(
                to: HTTPRequest(
                    bytes: bytes, fields: fields, head: parser.head, peer: connection.peer,
                    body: body,
                    bodySink: sink),
                &exchange)
        }
        finishExchange(on: &connection)
    }

    /// Gives up on a request that is being read.
    func abandonRequest(_ connection: inout Connection) {
        connection.body?.sink?.cancel()
        connection.endRequest()
    }

    /// Counts what a connection holds against the content in flight.
    ///
    /// - Returns: Whether there was room.
    func settleBudget(_ connection: inout Connection) -> Bool {
        let held = connection.heldBytes
        guard held != connection.reservedBytes else { return true }
        guard budget.change(by: held - connection.reservedBytes) else { return false }
        connection.reservedBytes = held
        return true
    }

    /// Gives up everything that a connection holds.
    func release(_ connection: inout Connection) {
        abandonRecord(of: &connection)
        endDeferral(&connection)
        abandonRequest(&connection)
        connection.stream?.source.cancel()
        connection.stream = nil
        _ = budget.change(by: -connection.reservedBytes)
        connection.reservedBytes = 0
    }
}
