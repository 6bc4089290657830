// SPDX-License-Identifier: Apache-2.0

/// The answer to one request in the making, built in the scratch memory of the event loop: a handler that appends to
/// `body` and sends allocates nothing.
public struct HTTPExchange: ~Copyable {
    /// What the handler has decided.
    enum Outcome {
        case none
        case scratch(HTTPStatus)
        case response(HTTPResponse)
        case deferred(seconds: Int?)
    }

    /// The content; empty at first.
    public var body: [UInt8] = []
    /// Whether the connection ends with this answer, whatever the client wishes.
    public var closesConnection = false
    /// What the loop's observer is told when the request has ended; empty at first.
    public var note = RequestNote()
    private(set) var fields = HTTPFields()
    private(set) var outcome = Outcome.none
    /// What is told when nobody waits for a deferred answer any more.
    private(set) var onAbandon: (@Sendable () -> Void)?
    private var coding = CodingPolicy.never
    private let mailbox: Mailbox?
    private var ticket = Ticket(slot: 0, generation: 0, request: 0)

    init(mailbox: Mailbox?) {
        self.mailbox = mailbox
    }

    /// Adds a field to the answer.
    ///
    /// A field that `HTTPFields` refuses is dropped and counted.
    public mutating func addField(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        fields.append(name, value)
    }

    /// Adds a field to the answer.
    ///
    /// A field that `HTTPFields` refuses is dropped and counted.
    public mutating func addField(_ name: StaticString, _ value: StaticString) {
        fields.append(name, value)
    }

    /// Adds a field to the answer.
    ///
    /// A field that `HTTPFields` refuses is dropped and counted.
    public mutating func addField(_ name: StaticString, _ value: [UInt8]) {
        fields.append(name, value)
    }

    /// Adds fields that are the same in many answers, which costs one copy.
    public mutating func addFields(_ prepared: HTTPFields) {
        fields.append(prepared)
    }

    /// Whether content of a size will be sent gzip-coded, which makes it another representation with another `ETag`.
    ///
    /// True only for what the handler sends from memory, and only if it adds no `Content-Encoding` of its own.
    public func willCompress(bodyCount: Int) -> Bool {
        coding.compresses(bodyCount)
    }

    /// Sends the fields and the body that were added.
    ///
    /// The first answer stands; a second is ignored.
    public mutating func send(_ status: HTTPStatus) {
        settle(.scratch(status))
    }

    /// Sends a finished response instead of what was added.
    ///
    /// The first answer stands; a second is ignored.
    public mutating func send(_ response: HTTPResponse) {
        settle(.response(response))
    }

    /// Leaves the answer to whoever holds the responder, on any thread.
    ///
    /// Later requests of the connection wait for it.
    ///
    /// - Parameters:
    ///   - seconds: How long the answer may take before the server answers 503 itself; the configured time by
    ///     default, more for an answer that waits on purpose. At most `ServerConfiguration.maximumHandlerSeconds`.
    ///   - onAbandon: Called on the event loop when nobody waits for the answer any more: the client has gone, which
    ///     with this closure includes that it has shut its side, or the server has answered itself.
    /// - Returns: The responder, to be used exactly once; dropping it unused answers 500.
    public mutating func deferResponse(
        within seconds: Int? = nil, onAbandon: (@Sendable () -> Void)? = nil
    ) -> HTTPResponder {
        guard settle(.deferred(seconds: seconds)) else { return HTTPResponder(nil, ticket) }
        self.onAbandon = onAbandon
        return HTTPResponder(mailbox, ticket)
    }

    /// Makes the exchange ready for the next request and keeps its memory, within reason.
    mutating func reset(coding: CodingPolicy, ticket: Ticket) {
        if body.capacity > Self.scratchLimit {
            body = []
        } else {
            body.removeAll(keepingCapacity: true)
        }
        fields.removeAll()
        closesConnection = false
        outcome = .none
        onAbandon = nil
        self.coding = coding
        self.ticket = ticket
    }

    private static let scratchLimit = 1 << 20

    @discardableResult
    private mutating func settle(_ new: Outcome) -> Bool {
        guard case .none = outcome else { return false }
        outcome = new
        return true
    }
}
