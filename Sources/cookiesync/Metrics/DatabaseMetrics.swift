// SPDX-License-Identifier: Apache-2.0

internal import PostgresJarStorage
internal import Telemetry

/// The families of `/metrics` about a storage in a database.
enum DatabaseMetrics {
    static func append(_ counters: DatabaseCounters, to text: inout MetricsText) {
        let kinds = [("read", counters.reads), ("write", counters.writes)]
        append(
            "cookiesync_database_connections", .gauge, "Connections to the database that are up.",
            kinds.map { ($0, $1.connections) }, to: &text)
        append(
            "cookiesync_database_queue_calls", .gauge, "Calls that wait for a connection.",
            kinds.map { ($0, $1.queuedCalls) }, to: &text)
        append(
            "cookiesync_database_queue_refusals_total", .counter,
            "Calls that were refused because too many waited.",
            kinds.map { ($0, $1.refusedCalls) }, to: &text)
        text.add(
            "cookiesync_cache_bytes", .gauge, "About how many octets the jars in memory take.",
            counters.cacheBytes)
        guard let age = counters.catalogueAge else { return }
        text.family(
            "cookiesync_database_catalogue_age_seconds", .gauge,
            "Time since the database has confirmed the tenants and tokens in memory.")
        text.sample("cookiesync_database_catalogue_age_seconds", [], age)
    }

    private static func append(
        _ name: StaticString, _ kind: MetricsText.Kind, _ meaning: StaticString,
        _ samples: [(String, Int)],
        to text: inout MetricsText
    ) {
        text.family(name, kind, meaning)
        for (label, count) in samples { text.sample(name, [("kind", label)], count) }
    }
}
