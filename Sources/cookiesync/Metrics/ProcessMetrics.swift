// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncService
internal import HTTPServer
internal import JarStorage
internal import PostgresJarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// The families of `/metrics` that the parts of the process below the service have, and the process itself.
enum ProcessMetrics {
    /// Adds all of them to the service.
    static func add(
        to service: CookieSyncService, _ server: HTTPServer<CookieSyncService>,
        _ storage: Storage, _ sink: StreamLogSink
    ) {
        service.addMetrics { [weak server] text in
            if let server { append(server.counters, to: &text) }
        }
        let jars = storage.jars
        service.addMetrics { text in
            if let files = jars as? SQLiteJarStorage {
                StorageMetrics.append(files.counters, to: &text)
            }
            if let database = jars as? PostgresJarStorage {
                DatabaseMetrics.append(database.counters, to: &text)
            }
            StorageMetrics.append(jars.health(), to: &text)
        }
        service.addMetrics { [weak service] text in
            if let service { FeedMetrics.append(service.feedCounters, to: &text) }
        }
        service.addMetrics { text in
            text.add(
                "cookiesync_log_lines_dropped_total", .counter,
                "Log lines that were lost because their reader did not keep up.", sink.dropped)
            text.family("cookiesync_build_info", .gauge, "1; the labels say what this is.")
            text.sample(
                "cookiesync_build_info", [("version", Version.current)], 1)
            ProcessFacts.read().append(to: &text)
        }
    }

    private static func append(_ counters: ServerCounters, to text: inout MetricsText) {
        text.add(
            "cookiesync_http_connections", .gauge, "Connections that are open.",
            counters.connectionsOpen)
        text.family(
            "cookiesync_http_loop_connections", .gauge, "Connections that each event loop has.")
        for (loop, count) in counters.connectionsByLoop.enumerated() {
            text.sample("cookiesync_http_loop_connections", [("loop", "\(loop)")], count)
        }
        text.add(
            "cookiesync_http_connections_accepted_total", .counter,
            "Connections that were accepted.", counters.connectionsAccepted)
        text.add(
            "cookiesync_http_connections_refused_total", .counter,
            "Connections that were refused: too many from one address, or no descriptor left.",
            counters.connectionsRefused)
        text.add(
            "cookiesync_http_faults_total", .counter,
            "Requests that the server answered itself: malformed, too large, too slow.",
            counters.faults)
        text.add(
            "cookiesync_http_waiting_requests", .gauge,
            "Requests whose answer another thread owes.", counters.deferred)
        text.add(
            "cookiesync_http_body_bytes", .gauge, "Octets of request bodies in memory.",
            counters.bodyBytesInFlight)
        text.add(
            "cookiesync_http_sent_bytes_total", .counter, "Octets that clients have taken.",
            counters.bytesSent)
    }
}
