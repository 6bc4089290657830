// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Telemetry

/// What the loops of a server share. Not generic, so that one compiled copy serves every handler.
final class ServerCore: Sendable {
    let configuration: ServerConfiguration
    let handler: any HTTPHandler
    let errors: any ErrorRenderer
    let logger: Logger

    init(
        configuration: ServerConfiguration, handler: any HTTPHandler, errors: any ErrorRenderer,
        logger: Logger
    ) {
        self.configuration = configuration
        self.handler = handler
        self.errors = errors
        self.logger = logger
    }

    func start() throws(ServerStartError) -> UInt16 { 0 }
    func drain(milliseconds: Int) {}
    func waitUntilStopped() {}
    var isDraining: Bool { false }
    var counters: ServerCounters { ServerCounters() }
}
