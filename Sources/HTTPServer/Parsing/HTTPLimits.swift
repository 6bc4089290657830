// SPDX-License-Identifier: Apache-2.0

/// How large the parts of a request may be.
///
/// Sizes are octets; the hard maximum of each is in `settings`.
public struct HTTPLimits: Sendable, Equatable {
    /// The request line without its CRLF; beyond it 414.
    public var requestLineBytes = 8 << 10
    /// All field lines together, trailers included; beyond it 431.
    public var fieldBlockBytes = 32 << 10
    /// One field line; beyond it 431.
    public var fieldBytes = 16 << 10
    /// How many fields, trailers included; beyond it 431.
    public var fieldCount = 100
    /// A chunk's size line, extensions included; beyond it 400.
    public var chunkLineBytes = 256
    /// How much content may be in memory over all connections; beyond it 503.
    public var inFlightBodyBytes = 64 << 20
    /// How many times larger than itself a gzip-coded content may become after its first 64 KiB; beyond it 413.
    public var inflationRatio = 100

    /// The defaults.
    public init() {}

    var settings: [Setting] {
        [
            Setting("limits.requestLineBytes", requestLineBytes, 1024...(16 << 10)),
            Setting("limits.fieldBlockBytes", fieldBlockBytes, 1024...(256 << 10)),
            Setting("limits.fieldBytes", fieldBytes, 256...(64 << 10)),
            Setting("limits.fieldCount", fieldCount, 8...1000),
            Setting("limits.chunkLineBytes", chunkLineBytes, 32...4096),
            Setting("limits.inFlightBodyBytes", inFlightBodyBytes, (64 << 10)...(8 << 30)),
            Setting("limits.inflationRatio", inflationRatio, 1...1000),
        ]
    }
}

/// How long a client may take.
///
/// All but the rate are milliseconds on the monotonic clock.
public struct HTTPTimeouts: Sendable, Equatable {
    /// From a request's first octet, or the connection's start, to the end of the head; in total, not per read.
    public var header = 10_000
    /// The longest silence within a request's content.
    public var body = 30_000
    /// Octets per second that the content must keep up on average, once `bodyGrace` is over.
    public var bodyBytesPerSecond = 1000
    /// How long the content may be slower than `bodyBytesPerSecond`.
    public var bodyGrace = 5_000
    /// How long a connection may be idle between requests.
    public var idle = 60_000
    /// The longest time without progress in taking an answer.
    public var responseStall = 30_000
    /// How long a deferred answer may take after the request is complete; beyond it 503.
    public var handler = 15_000
    /// How long a connection is read from, so that its last answer arrives, before it is closed.
    public var linger = 1_000

    /// The defaults.
    public init() {}

    var settings: [Setting] {
        [
            Setting("timeouts.header", header, 10...60_000),
            Setting("timeouts.body", body, 10...300_000),
            Setting("timeouts.bodyBytesPerSecond", bodyBytesPerSecond, 1...(1 << 30)),
            Setting("timeouts.bodyGrace", bodyGrace, 10...60_000),
            Setting("timeouts.idle", idle, 10...3_600_000),
            Setting("timeouts.responseStall", responseStall, 10...300_000),
            Setting(
                "timeouts.handler", handler, 10...ServerConfiguration.maximumHandlerSeconds * 1000),
            Setting("timeouts.linger", linger, 10...10_000),
        ]
    }
}
