// SPDX-License-Identifier: Apache-2.0

internal import JarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// The families of `/metrics` about the storage.
enum StorageMetrics {
    /// What a storage on files has done.
    static func append(_ counters: StorageCounters, to text: inout MetricsText) {
        appendCache(counters, to: &text)
        appendCommits(counters, to: &text)
        text.family(
            "cookiesync_cookie_changes_total", .counter,
            "Changes of cookies that were committed, by what brought them about.")
        for (cause, count) in counters.changes {
            text.sample("cookiesync_cookie_changes_total", [("cause", "\(cause)")], count)
        }
    }

    /// What keeps any storage from taking writes.
    static func append(_ faults: [StorageFault], to text: inout MetricsText) {
        text.family(
            "cookiesync_storage_faults", .gauge,
            "Tenants, or the whole storage, that take no writes now, by why.")
        for code in Set(faults.map(\.code)).sorted() {
            text.sample(
                "cookiesync_storage_faults", [("code", code)], faults.count { $0.code == code })
        }
    }

    private static func appendCache(_ counters: StorageCounters, to text: inout MetricsText) {
        text.add(
            "cookiesync_cache_hits_total", .counter, "Reads that found their jar in memory.",
            counters.cacheHits)
        text.add(
            "cookiesync_cache_misses_total", .counter, "Reads that had to load their jar.",
            counters.cacheMisses)
        text.add(
            "cookiesync_cache_evictions_total", .counter,
            "Jars that were dropped from memory to make room.", counters.cacheEvictions)
        text.add(
            "cookiesync_cache_bytes", .gauge, "About how many octets the jars in memory take.",
            counters.cacheBytes)
    }

    private static func appendCommits(_ counters: StorageCounters, to text: inout MetricsText) {
        text.histogramFamily(
            "cookiesync_commit_duration_seconds", "How long commits took, their sync included.")
        text.histogram(
            "cookiesync_commit_duration_seconds", [], counters.commitDurations,
            unit: 1_000_000_000)
        text.histogramFamily(
            "cookiesync_commit_writes", "How many writes one commit held.")
        text.histogram("cookiesync_commit_writes", [], counters.batchSizes)
        text.add(
            "cookiesync_commit_failures_total", .counter, "Commits that failed.",
            counters.failedCommits)
        text.add(
            "cookiesync_write_queue_calls", .gauge, "Calls that wait for a writer.",
            counters.queuedCalls)
        text.add(
            "cookiesync_write_queue_refusals_total", .counter,
            "Calls that were refused because too many waited.", counters.refusedCalls)
        text.add(
            "cookiesync_open_tenants", .gauge, "Tenants whose files are open.",
            counters.openTenants)
        text.add(
            "cookiesync_unfolded_changes", .gauge,
            "Changes in the logs of open tenants that are not in the keyed tables yet.",
            counters.unfoldedChanges)
    }
}
