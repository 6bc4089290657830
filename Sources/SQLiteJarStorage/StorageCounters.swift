// SPDX-License-Identifier: Apache-2.0

public import JarStorage
public import Telemetry

/// What the storage has done so far, and what it holds now.
public struct StorageCounters: Sendable {
    /// Reads that found their jar in memory.
    public var cacheHits = 0
    /// Reads that had to load it.
    public var cacheMisses = 0
    /// Jars that were dropped from memory to make room.
    public var cacheEvictions = 0
    /// About how many octets the jars in memory take.
    public var cacheBytes = 0
    /// Calls that wait for a writer.
    public var queuedCalls = 0
    /// Calls that were refused because too many waited.
    public var refusedCalls = 0
    /// Tenants whose files are open.
    public var openTenants = 0
    /// Changes in the logs of open tenants that are not in the keyed tables yet.
    public var unfoldedChanges = 0
    /// Commits that failed.
    public var failedCommits = 0
    /// How long commits took, their sync included, in nanoseconds; failed ones count as well.
    public var commitDurations: HistogramSnapshot
    /// How many writes each commit held.
    public var batchSizes: HistogramSnapshot
    /// Changes of cookies that were committed, by cause.
    public var changes: [(cause: ChangeCause, count: Int)]
}

/// The counters behind it.
///
/// Any thread counts.
final class StorageTally: Sendable {
    let commitDurations = Histogram(bounds: Histogram.durations)
    let batchSizes = Histogram(bounds: Histogram.sizes)
    private let changes = CounterRow(count: 256)
    private let failures = CounterRow(count: 1)

    /// Counts a commit.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long it took.
    ///   - writes: how many writes it held.
    ///   - hasFailed: whether nothing of it was kept.
    func addCommit(nanoseconds: Int, writes: Int, hasFailed: Bool) {
        commitDurations.observe(nanoseconds)
        batchSizes.observe(writes)
        if hasFailed { failures.add(at: 0) }
    }

    /// Counts the changes of cookies that were committed; those that are no event are passed over.
    func add(_ committed: [Change]) {
        for change in committed where change.kind != nil {
            changes.add(at: Int(change.cause.rawValue))
        }
    }

    var failedCommits: Int { failures[0] }

    func count(of cause: ChangeCause) -> Int { changes[Int(cause.rawValue)] }
}

extension SQLiteJarStorage {
    /// What the storage has done so far.
    ///
    /// - Complexity: O(1); holds the writers' lock for a moment.
    public var counters: StorageCounters {
        let tally = writers.tally
        var counters = StorageCounters(
            commitDurations: tally.commitDurations.snapshot, batchSizes: tally.batchSizes.snapshot,
            changes: ChangeCause.allCases.map { ($0, tally.count(of: $0)) })
        (counters.cacheHits, counters.cacheMisses) = cache.reads
        counters.cacheEvictions = cache.evictionCount
        counters.cacheBytes = cache.byteCount
        counters.failedCommits = tally.failedCommits
        let load = writers.load
        (counters.queuedCalls, counters.refusedCalls) = (load.queued, load.refused)
        (counters.openTenants, counters.unfoldedChanges) = (load.openTenants, load.unfolded)
        return counters
    }
}
