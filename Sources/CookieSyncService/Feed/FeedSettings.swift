// SPDX-License-Identifier: Apache-2.0

/// What an operator can set about those that follow a jar's changes.
public struct FeedSettings: Sendable {
    /// How many event streams a tenant may have; one more is answered 429.
    public var streamsPerTenant = 100
    /// How many long-polls of a tenant may wait; one more is answered 429.
    public var pollsPerTenant = 10_000
    /// After how many milliseconds a stream is sent a comment, so that both ends know that it lives.
    public var heartbeatMilliseconds = 15_000
    /// After how many milliseconds a stream ends, with where to go on.
    public var lifetimeMilliseconds = 3_600_000
    /// How many octets of events may wait for one client.
    var bufferBytes = 64 << 10
    /// For how many milliseconds a client may take nothing while those octets are used up.
    var patienceMilliseconds = 5_000

    /// The defaults.
    public init() {}
}
