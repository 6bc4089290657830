// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a server has done so far, and what it holds now.
public struct ServerCounters: Sendable, Equatable {
    /// Connections that were accepted.
    public var connectionsAccepted = 0
    /// Connections that were refused: too many from one address, or no descriptor left.
    public var connectionsRefused = 0
    /// Connections that are open.
    public var connectionsOpen = 0
    /// Those that each loop has, or is on the way to have.
    public var connectionsByLoop: [Int] = []
    /// Requests whose head was complete.
    public var requests = 0
    /// Requests that the server itself answered, for a fault.
    public var faults = 0
    /// Requests whose answer another thread owes.
    public var deferred = 0
    /// Octets of request content that are in memory.
    public var bodyBytesInFlight = 0
    /// Octets that were sent.
    public var bytesSent = 0
    /// Fields that handlers wanted to send and that were refused.
    public var fieldsRefused = 0
}

/// The counters of one loop.
///
/// Only the loop writes; anyone reads.
final class LoopCounters: Sendable {
    /// The loop's number.
    let loop: Int
    // With this on both sides no other loop's counters are in a cache line of these, which are written with each request.
    private let before = InlineArray<8, Int>(repeating: 0)
    let requests = Atomic(0)
    let faults = Atomic(0)
    let deferred = Atomic(0)
    let bytesSent = Atomic(0)
    let fieldsRefused = Atomic(0)
    private let after = InlineArray<8, Int>(repeating: 0)

    init(loop: Int = 0) { self.loop = loop }
}
