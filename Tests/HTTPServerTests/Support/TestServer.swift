// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import Telemetry

/// Drops every line.
struct SilentSink: LogSink {
    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {}
}

/// A server on a free port of the loopback address, stopped when it goes out of scope. It is patient, because a machine
/// that runs tests may be slow; a test of a time-out sets its own.
final class TestServer<Handler: HTTPHandler>: Sendable {
    let server: HTTPServer<Handler>
    let port: UInt16

    init(_ handler: Handler, _ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.timeouts.header = 60_000
        configuration.timeouts.body = 300_000
        configuration.timeouts.bodyGrace = 60_000
        configuration.timeouts.responseStall = 300_000
        configuration.timeouts.handler = 120_000
        configuration.timeouts.linger = 10_000
        change(&configuration)
        server = HTTPServer(
            configuration: configuration, handler: handler,
            logger: Logger(level: .error, sink: SilentSink()))
        port = try server.start()
    }

    func stop() {
        server.drain(deadlineSeconds: 0)
        server.waitUntilStopped()
    }

    deinit { stop() }
}
