// SPDX-License-Identifier: Apache-2.0

/// One connection of an event loop.
///
/// An idle one holds no memory beyond this.
struct Connection {
    private(set) var descriptor: Int32
    let peer: PeerAddress
    let slot: UInt32
    let generation: UInt32
    var state: ConnectionState
    /// The events that the connection is registered for.
    var interest: UInt32 = 0
    /// Counts the requests, so that an answer that comes too late is not taken for that of another request.
    var requestNumber: UInt32 = 0
    /// The form of the answer to the current request.
    var terms = ResponseTerms.unknown
    /// What is to be told of the current request when it has ended.
    var record = RequestRecord()
    /// The head that is being read, or whose content is.
    var parser: RequestParser?
    /// The bytes of that head.
    var head: [UInt8] = []
    /// The content that is being read.
    var body: BodyReader?
    /// What was received and not yet used.
    var backlog: [UInt8] = []
    /// How much of the backlog was used since.
    var backlogStart = 0
    /// What the client has not taken yet.
    var output: [UInt8] = []
    /// How much of the output was taken since.
    var outputStart = 0
    /// The answer that is being pulled.
    var stream: ResponseStream?
    /// Whether another thread owes the answer to the current request.
    var isDeferred = false
    /// Who is told when nobody waits for that answer any more.
    var onAbandon: (@Sendable () -> Void)?
    /// Whether the connection has to end at once, because an answer cannot be completed.
    var isCut = false
    /// What is counted against the content in flight.
    var reservedBytes = 0

    init(
        descriptor: Int32, peer: PeerAddress, slot: UInt32, generation: UInt32,
        state: ConnectionState
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.slot = slot
        self.generation = generation
        self.state = state
    }

    /// Names the current request to other threads.
    var ticket: Ticket { Ticket(slot: slot, generation: generation, request: requestNumber) }
    /// Names the connection to the poller.
    var key: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

    /// Whether there is no connection in this slot any more.
    var isVacant: Bool { descriptor < 0 }
    var hasBacklog: Bool { backlogStart < backlog.count }
    var pendingOutput: Int { output.count - outputStart }
    /// Whether what is under way is in vain once the client has shut its side.
    var endsWithClient: Bool { onAbandon != nil || stream?.source.endsWithClient == true }
    /// What of the client's is in memory on behalf of this connection.
    var heldBytes: Int { head.count + (body?.content.count ?? 0) + backlog.count - backlogStart }

    /// Takes what has not been used yet, to be put back as far as it stays unused.
    mutating func takeBacklog() -> (bytes: [UInt8], start: Int) {
        defer {
            backlog = []
            backlogStart = 0
        }
        return (backlog, backlogStart)
    }

    /// Releases everything that the connection holds in memory.
    mutating func vacate() {
        descriptor = -1
        record = RequestRecord()
        endRequest()
        backlog = []
        output = []
        stream = nil
    }

    /// Forgets the request that was being read.
    mutating func endRequest() {
        parser = nil
        head = []
        body = nil
    }
}

/// An answer whose content is pulled from a source.
struct ResponseStream {
    let source: any HTTPBodySource
    let isChunked: Bool
    let closes: Bool
    /// Whether the source has asked to be left alone until it signals.
    var isWaiting = false
}
