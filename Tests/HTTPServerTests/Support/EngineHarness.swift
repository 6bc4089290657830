// SPDX-License-Identifier: Apache-2.0
import Telemetry

@testable import HTTPServer

/// One connection to an engine, without a socket: bytes in, bytes out, the clock standing still.
struct EngineHarness: ~Copyable {
    private var engine: Engine
    private var connection: Connection
    private var pending: [UInt8] = []

    init(_ handler: any HTTPHandler, _ change: (inout ServerConfiguration) -> Void = { _ in }) {
        var configuration = ServerConfiguration()
        change(&configuration)
        let core = ServerCore(
            configuration: configuration, handler: handler, errors: PlainErrorRenderer(),
            logger: Logger(level: .error, sink: SilentSink()))
        engine = Engine(core, mailbox: Mailbox(descriptor: -1), counters: LoopCounters())
        engine.setTime(milliseconds: 0, date: 0)
        connection = Connection(
            descriptor: 0, peer: PeerAddress(ipv4: 0x7F00_0001), slot: 0, generation: 0,
            state: ConnectionState(openedAt: 0, configuration.timeouts))
    }

    /// Feeds a piece of input, after what could not be used of the last one.
    ///
    /// - Returns: What is sent in answer to it.
    mutating func feed(_ piece: some Sequence<UInt8>) -> [UInt8] {
        pending += piece
        var output: [UInt8] = []
        while !pending.isEmpty, connection.state.readsInput {
            let used = pending.withUnsafeBufferPointer { engine.process(&connection, $0) }
            pending.removeFirst(used)
            output += engine.output
            engine.trimOutput()
        }
        return output
    }

    var phase: ConnectionState.Phase { connection.state.phase }
    var heldBytes: Int { connection.heldBytes }
}
