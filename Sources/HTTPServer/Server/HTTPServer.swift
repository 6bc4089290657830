// SPDX-License-Identifier: Apache-2.0

public import Telemetry

/// An HTTP/1.1 server: event loops on threads of their own that pass requests to a handler.
public final class HTTPServer<Handler: HTTPHandler>: Sendable {
    private let core: ServerCore

    /// A server that is not listening yet.
    ///
    /// - Parameters:
    ///   - configuration: Checked by `start`.
    ///   - handler: Called on the event loops, on several at a time.
    ///   - errors: Renders the server's own answers.
    ///   - logger: Hears of milestones and of what an operator should look at; never of requests.
    public init(
        configuration: ServerConfiguration, handler: Handler,
        errors: any ErrorRenderer = PlainErrorRenderer(), logger: Logger
    ) {
        core = ServerCore(
            configuration: configuration, handler: handler, errors: errors, logger: logger)
    }

    /// Listens and serves, until `drain`.
    ///
    /// To be called once.
    ///
    /// - Returns: The port that the server listens on.
    /// - Throws: `ServerStartError`, when a setting is wrong or the system refuses.
    @discardableResult
    public func start() throws(ServerStartError) -> UInt16 {
        try core.start()
    }

    /// Stops: no new connection from now on, idle ones are closed, requests in flight are answered
    /// with `Connection: close`, and what is not done by the deadline is cut.
    ///
    /// Returns at once; a second call only shortens the deadline.
    public func drain(deadlineSeconds: Int = 10) {
        core.drain(milliseconds: max(0, min(deadlineSeconds, 3600)) * 1000)
    }

    /// Blocks the calling thread until every loop has ended; returns at once if the server was never started.
    public func waitUntilStopped() {
        core.waitUntilStopped()
    }

    /// Whether `drain` was called.
    public var isDraining: Bool { core.isDraining }

    /// What the server has done so far.
    public var counters: ServerCounters { core.counters }
}

/// Why a server cannot start.
public enum ServerStartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A setting is wrong.
    case configuration(ConfigurationError)
    /// The host is no address of this machine's notation.
    case invalidHost(String)
    /// A call of the system failed; `errno` says why.
    case system(call: String, errno: Int32)
    /// The server was started, or drained, before.
    case alreadyStarted

    /// One line for the operator.
    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .invalidHost(let host): "cannot listen on \(host): not an IP address"
        case .system(let call, let code): "\(call): \(systemMessage(code))"
        case .alreadyStarted: "server was started before"
        }
    }
}
