// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Telemetry

/// Counts and logs the requests of one event loop, on its thread.
final class LoopObserver: RequestObserver {
    private let metrics: LoopMetrics
    private let lines: RequestLines?
    /// By the number of the route, how much a good answer matters: probes and scrapes come all day.
    private let levels: [LogLevel]
    /// By the number of the route, what the lines of all its requests say.
    private let fields: [[UInt8]]

    init(_ metrics: LoopMetrics, _ log: RequestLog?, routes: [Route]) {
        self.metrics = metrics
        lines = log.map(RequestLines.init)
        fields = log.map { RequestNotes.fields(of: routes, $0.format) } ?? []
        levels =
            [.info]
            + routes.map { route in
                route.access == .probe || route.operation == "getMetrics" ? .debug : .info
            }
    }

    func ended(_ outcome: RequestOutcome, _ note: borrowing RequestNote) {
        metrics.add(outcome, kind: note.kind)
        // Not bound, which would take a reference for each request.
        lines?.add(
            FinishedRequest(
                level: outcome.status < 400 ? levels[note.kind] : .info,
                status: Int(outcome.status), nanoseconds: outcome.nanoseconds,
                endedAt: outcome.endedAt, bytesReceived: outcome.bytesReceived,
                bytesSent: outcome.bytesSent),
            id: note.id, route: fields[note.kind], fields: note.text)
    }

    func flush() { lines?.flush() }
}
