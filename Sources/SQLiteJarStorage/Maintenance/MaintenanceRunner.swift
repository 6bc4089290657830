// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// Runs one backup or check at a time, on a thread of its own: it waits for writers and for the disk.
final class MaintenanceRunner: Sendable {
    private struct State {
        var isRunning = false
        var isClosing = false
        /// The thread of the last run, which may have ended.
        var thread: OwnThread?
    }

    private let state = Locked(State())

    /// Whether a run should end soon.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Starts a run, unless there is one.
    ///
    /// The thread is made under the lock, so that `close` either refuses the run or waits for it.
    func start(
        _ run: @escaping @Sendable () -> MaintenanceResult,
        completion: @escaping @Sendable (MaintenanceResult) -> Void
    ) {
        let refusal = state.withLock { state -> MaintenanceError? in
            if state.isClosing { return .storage(.unavailable) }
            if state.isRunning { return .running }
            let before = state.thread
            do {
                state.thread = try OwnThread { [self] in
                    // It has run; it may still be answering.
                    before?.join()
                    let result = run()
                    self.state.withLock { $0.isRunning = false }
                    completion(result)
                }
            } catch {
                return .storage(.unavailable)
            }
            state.isRunning = true
            return nil
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Waits for the run that is under way, which is expected to notice `isClosing`.
    func close() {
        let thread = state.withLock { state in
            state.isClosing = true
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }
}
