// SPDX-License-Identifier: Apache-2.0

/// What a handler knows about a request and wants to be told again when it has been answered.
///
/// It lies in the scratch memory of the event loop, like the exchange: filling it allocates nothing.
public struct RequestNote: Sendable {
    /// Which event loop has the request, counted from 0: for what a handler keeps for each loop, so that loops do not wait
    /// for each other's memory.
    public internal(set) var loop = 0
    /// Which kind of request it is, in the handler's own count; 0 as long as that is not known.
    public var kind = 0
    /// The name under which the client knows the request; empty as long as it has none.
    public var id: [UInt8] = []
    /// Whatever else the handler wants to be told.
    public var text: [UInt8] = []

    /// A note with nothing on it.
    public init() {}

    /// Forgets what the handler wrote on it and keeps its memory.
    mutating func clear() {
        kind = 0
        // To empty what is empty costs as much as to fill it.
        if !id.isEmpty { id.removeAll(keepingCapacity: true) }
        if !text.isEmpty { text.removeAll(keepingCapacity: true) }
    }
}

/// What became of a request.
public struct RequestOutcome: Sendable {
    /// The status of the answer; `clientLeft` when the client had gone before there was one.
    public let status: UInt16
    /// From the complete head to the answer's last octet in the loop's output.
    public let nanoseconds: Int
    /// When that was, in nanoseconds of the monotonic clock.
    public let endedAt: Int
    /// Octets of the head and the content, as they were sent.
    public let bytesReceived: Int
    /// Octets of the answer, its head included.
    public let bytesSent: Int

    /// The status that stands for "the client left before it was answered".
    public static let clientLeft: UInt16 = 499
}

/// Hears of every answer of one event loop, on that loop's thread; so it needs no lock, and must not block.
public protocol RequestObserver: AnyObject {
    /// Called once for each request, faults of the protocol included, when it has been answered or its client has left.
    func ended(_ outcome: RequestOutcome, _ note: borrowing RequestNote)

    /// Called before the loop waits for something to do: what has gathered can go out.
    func flush()
}

/// What is kept of a request until it has ended.
struct RequestRecord {
    var note = RequestNote()
    var startedAt = 0
    var bytesReceived = 0
    var bytesSent = 0
    var status: UInt16 = 0
    /// Whether its end has to be told.
    var isOpen = false
}
