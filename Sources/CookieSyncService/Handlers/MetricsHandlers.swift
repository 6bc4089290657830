// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Telemetry

extension CookieSyncService {
    /// `GET /metrics`.
    func getMetrics(_ call: Call, _ exchange: inout HTTPExchange) {
        call.id.withBytes { exchange.addField("X-Request-Id", $0) }
        exchange.addField("Content-Type", MetricsText.contentType)
        exchange.body.append(contentsOf: metrics.document())
        exchange.send(.ok)
    }
}
