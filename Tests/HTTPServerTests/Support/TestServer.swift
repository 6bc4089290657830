// SPDX-License-Identifier: Apache-2.0
import HTTPServer
import Telemetry

/// Drops every line.
struct SilentSink: LogSink {
    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {}
}

/// A server on a free port of the loopback address, stopped when it goes out of scope.
final class TestServer<Handler: HTTPHandler>: Sendable {
    let server: HTTPServer<Handler>
    let port: UInt16

    init(_ handler: Handler, _ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
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
