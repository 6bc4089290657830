// SPDX-License-Identifier: Apache-2.0

/// What this node's connections do now, and what they could not take.
public struct DatabaseCounters: Sendable {
    /// The connections of one kind, with the calls that wait for them.
    public struct Lanes: Sendable {
        /// Connections that are up.
        public var connections = 0
        /// Calls that wait for one.
        public var queuedCalls = 0
        /// Calls that were refused because too many waited.
        public var refusedCalls = 0
    }

    /// Those for reads.
    public var reads = Lanes()
    /// Those for writes.
    public var writes = Lanes()
    /// About how many octets the jars in memory take.
    public var cacheBytes = 0
    /// How many seconds ago the database has confirmed the tenants and tokens that are known; nil for never.
    public var catalogueAge: Double?
}

extension PostgresJarStorage {
    /// What the storage does now.
    ///
    /// - Complexity: O(1); holds the queues' locks for a moment.
    public var counters: DatabaseCounters {
        DatabaseCounters(
            reads: reads.load, writes: writes.load, cacheBytes: cache.size,
            catalogueAge: catalogue.age)
    }
}
