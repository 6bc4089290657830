// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Telemetry

/// How the engine does, as the last attempts showed: what readiness asks for, and a line in the log now and then.
final class EngineHealth: Sendable {
    private struct State {
        var fault: (code: String, since: MonotonicTime)?
        var lastLine: [String: MonotonicTime] = [:]
    }

    /// A fault that no attempt has confirmed for so long is over: readiness keeps clients away, so none may come to
    /// show that it is.
    private static let memoryMilliseconds = 2_000
    private static let lineMilliseconds = 10_000

    private let state = Locked(State())
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Takes note of a failure; logs at most one line of its kind in ten seconds.
    func report(_ error: PostgresError) {
        let now = MonotonicTime.now
        let isDue = state.withLock { state in
            if [.unavailable, .readOnly, .full].contains(error.storageError) {
                state.fault = (error.faultCode, now)
            }
            let key = "\(error.operation) \(error.state)"
            if let last = state.lastLine[key],
                now < last.adding(milliseconds: Self.lineMilliseconds)
            {
                return false
            }
            state.lastLine = state.lastLine.filter {
                now < $0.value.adding(milliseconds: Self.lineMilliseconds)
            }
            state.lastLine[key] = now
            return true
        }
        guard isDue else { return }
        logger.log(
            .error, "the database fails",
            [
                "operation": .text(error.operation), "sqlstate": .text(error.state),
                "fault": .text(error.faultCode),
            ])
    }

    /// Takes note that a connection was made.
    func connected() {
        let wasAtFault = state.withLock { state in
            defer { if state.fault?.code != "storage-full" { state.fault = nil } }
            return state.fault != nil
        }
        if wasAtFault { logger.log(.info, "the database is back") }
    }

    /// The fault, if there is one.
    var fault: String? {
        state.withLock { state in
            guard let fault = state.fault,
                MonotonicTime.now < fault.since.adding(milliseconds: Self.memoryMilliseconds)
            else { return nil }
            return fault.code
        }
    }
}
