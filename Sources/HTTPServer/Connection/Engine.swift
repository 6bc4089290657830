// SPDX-License-Identifier: Apache-2.0
// Everything between received bytes and bytes to send, without a socket: the requests of a connection are parsed,
// passed to the handler and answered into the loop's output, one after the other. An answer that is given at once
// allocates nothing here: parser, exchange and output belong to the loop and are used again and again.

internal import Synchronization

/// Turns received bytes into answers, for all connections of one loop.
struct Engine: ~Copyable {
    let limits: HTTPLimits
    let timeouts: HTTPTimeouts
    let counters: LoopCounters
    let mailbox: Mailbox
    let handler: any HTTPHandler
    let errors: any ErrorRenderer
    let budget: BodyBudget
    let retryAfter: [UInt8]
    let observer: (any RequestObserver)?
    private let pipelineDepth: Int
    let streamBufferBytes: Int
    /// Reads the heads that come in one piece.
    ///
    /// Behind a pointer, so that it is lent for a request rather than moved out and back.
    private let spareParser = UnsafeMutablePointer<RequestParser>.allocate(capacity: 1)
    var exchange: HTTPExchange
    var serializer: ResponseSerializer
    var piece: [UInt8] = []
    /// What is to be sent on the connection that was processed last.
    var output: [UInt8] = []
    /// The time, in milliseconds of the monotonic clock.
    var now: Int64 = 0

    /// Answers are sent once so much has gathered.
    private static let outputBytes = 64 << 10

    init(_ core: ServerCore, mailbox: Mailbox, counters: LoopCounters) {
        let configuration = core.configuration
        limits = configuration.limits
        timeouts = configuration.timeouts
        pipelineDepth = configuration.pipelineDepth
        streamBufferBytes = configuration.streamBufferBytes
        retryAfter = Array(String(configuration.retryAfterSeconds).utf8)
        handler = core.handler
        observer = core.handler.makeObserver()
        errors = core.errors
        budget = core.bodyBudget
        serializer = ResponseSerializer(configuration)
        exchange = HTTPExchange(mailbox: mailbox)
        exchange.note.loop = counters.loop
        self.mailbox = mailbox
        self.counters = counters
        spareParser.initialize(to: RequestParser())
        output.reserveCapacity(Self.outputBytes)
    }

    deinit {
        spareParser.deinitialize(count: 1)
        spareParser.deallocate()
    }

    /// Sets both clocks.
    mutating func setTime(milliseconds: Int64, date: Int64) {
        now = milliseconds
        serializer.setTime(date)
    }

    // MARK: Reading

    /// Answers requests until the input is used up, the connection has to wait, or enough answers have gathered.
    ///
    /// - Returns: How much of the input was used.
    mutating func process(
        _ connection: inout Connection, _ input: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let spareParser = self.spareParser
        var offset = 0
        var answered = 0
        while offset < input.count, connection.state.readsInput, answered < pipelineDepth,
            output.count < Self.outputBytes
        {
            let rest = UnsafeBufferPointer(rebasing: input[offset...])
            if connection.state.phase == .body {
                offset += readBody(&connection, rest)
            } else if connection.parser != nil {
                offset += resumeHead(&connection, rest)
            } else {
                offset += beginHead(&connection, rest, &spareParser.pointee)
            }
            answered += 1
        }
        return offset
    }

    private mutating func beginHead(
        _ connection: inout Connection, _ input: UnsafeBufferPointer<UInt8>,
        _ parser: inout RequestParser
    ) -> Int {
        parser.reset()
        switch parser.advance(input.span, limits: limits) {
        case .needsMore:
            connection.head = Array(input)
            connection.parser = parser
            parser = RequestParser()
            noteHead(&connection)
            return input.count
        case .complete:
            let count = parser.head.byteCount
            return count
                + begin(
                    &connection, parser, UnsafeBufferPointer(rebasing: input[..<count]),
                    following: UnsafeBufferPointer(rebasing: input[count...]))
        case .fault(let fault):
            answer(fault, on: &connection)
            return input.count
        }
    }

    private mutating func resumeHead(
        _ connection: inout Connection, _ input: UnsafeBufferPointer<UInt8>
    ) -> Int {
        guard var parser = connection.parser.take() else { return 0 }
        let seen = connection.head.count
        connection.head.append(contentsOf: input)
        switch parser.advance(connection.head.span, limits: limits) {
        case .needsMore:
            connection.parser = parser
            noteHead(&connection)
            return input.count
        case .complete:
            let bytes = connection.head
            connection.head = []
            // The line that completed the head came with this input.
            let used = max(0, parser.head.byteCount - seen)
            return used
                + bytes.withUnsafeBufferPointer { bytes in
                    begin(
                        &connection, parser,
                        UnsafeBufferPointer(rebasing: bytes[..<parser.head.byteCount]),
                        following: UnsafeBufferPointer(rebasing: input[used...]))
                }
        case .fault(let fault):
            answer(fault, on: &connection)
            return input.count
        }
    }

    private func noteHead(_ connection: inout Connection) {
        guard let parser = connection.parser, parser.hasBegun else { return }
        _ = connection.state.handle(.headBegan, at: now, timeouts)
    }
}
