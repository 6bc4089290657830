// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Locks
import Telemetry

/// The figures that `/metrics` shows: those of requests, and what other parts of the process add.
final class ServiceMetrics: Sendable {
    private let routes: [Route]
    private let loops = Locked<[LoopMetrics]>([])
    private let sources = Locked<[@Sendable (inout MetricsText) -> Void]>([])

    init(routes: [Route]) { self.routes = routes }

    /// Figures of one more event loop.
    func addLoop() -> LoopMetrics {
        let loop = LoopMetrics(kinds: routes.count + 1)
        loops.withLock { $0.append(loop) }
        return loop
    }

    func add(_ source: @escaping @Sendable (inout MetricsText) -> Void) {
        sources.withLock { $0.append(source) }
    }

    /// All figures, in Prometheus' text format.
    ///
    /// No tenant, token, path or host is in it.
    func document() -> [UInt8] {
        var text = MetricsText()
        let loops = loops.withLock { $0 }
        appendRequests(of: loops, to: &text)
        appendDurations(of: loops, to: &text)
        text.add(
            "cookiesync_http_received_bytes_total", .counter,
            "Octets of requests, heads included.", loops.reduce(0) { $0 + $1.receivedBytes })
        text.add(
            "cookiesync_http_answered_bytes_total", .counter,
            "Octets of answers, heads included.", loops.reduce(0) { $0 + $1.sentBytes })
        for source in sources.withLock({ $0 }) { source(&text) }
        return text.finish()
    }

    private func appendRequests(of loops: [LoopMetrics], to text: inout MetricsText) {
        let name: StaticString = "cookiesync_http_requests_total"
        text.family(
            name, .counter,
            "Requests that have ended, by route and status; 499 is a client that left.")
        for kind in 0...routes.count {
            for status in StatusTable.all {
                let count = loops.reduce(0) { $0 + $1.count(kind: kind, status: status) }
                guard count > 0 else { continue }
                let code = (name: StaticString("code"), value: status.map(String.init) ?? "other")
                text.sample(name, labels(of: kind) + [code], count)
            }
        }
    }

    private func appendDurations(of loops: [LoopMetrics], to text: inout MetricsText) {
        let name: StaticString = "cookiesync_http_request_duration_seconds"
        text.histogramFamily(
            name, "From a request's complete head to the end of its answer, by route.")
        for kind in 0...routes.count {
            guard var sum = loops.first?.durations(kind: kind) else { continue }
            for loop in loops.dropFirst() { sum.add(loop.durations(kind: kind)) }
            guard sum.count > 0 else { continue }
            text.histogram(name, labels(of: kind), sum, unit: 1_000_000_000)
        }
    }

    private func labels(of kind: Int) -> MetricsText.Labels {
        guard kind > 0 else { return [("method", "none"), ("route", "none")] }
        let route = routes[kind - 1]
        return [("method", "\(route.method.name)"), ("route", route.path.text)]
    }
}

/// The figures of one event loop, which alone counts.
final class LoopMetrics: Sendable {
    private let requests: CounterRow
    private let bytes = CounterRow(count: 2)
    private let histograms: [Histogram]

    init(kinds: Int) {
        requests = CounterRow(count: kinds * StatusTable.count)
        histograms = (0..<kinds).map { _ in Histogram(bounds: Histogram.durations) }
    }

    func add(_ outcome: RequestOutcome, kind: Int) {
        requests.add(at: kind * StatusTable.count + StatusTable.place(of: outcome.status))
        histograms[kind].observe(outcome.nanoseconds)
        bytes.add(outcome.bytesReceived, at: 0)
        bytes.add(outcome.bytesSent, at: 1)
    }

    func count(kind: Int, status: UInt16?) -> Int {
        requests[kind * StatusTable.count + StatusTable.place(of: status ?? 0)]
    }

    func durations(kind: Int) -> HistogramSnapshot { histograms[kind].snapshot }
    var receivedBytes: Int { bytes[0] }
    var sentBytes: Int { bytes[1] }
}

/// The statuses that are counted one by one; all others are counted together, in the first place.
private enum StatusTable {
    private static let statuses: [UInt16] = [
        200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414,
        415, 417, 422, 428, 429, 431, RequestOutcome.clientLeft, 500, 501, 502, 503, 504, 505, 507,
    ]
    private static let places: [UInt8] = {
        var places = [UInt8](repeating: 0, count: 600)
        for (index, status) in statuses.enumerated() { places[Int(status)] = UInt8(index + 1) }
        return places
    }()

    static let count = statuses.count + 1
    /// nil stands for all others.
    static let all: [UInt16?] = [nil] + statuses

    static func place(of status: UInt16) -> Int {
        Int(status) < places.count ? Int(places[Int(status)]) : 0
    }
}
