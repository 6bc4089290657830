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
    func start(
        _ run: @escaping @Sendable () -> MaintenanceResult,
        completion: @escaping @Sendable (MaintenanceResult) -> Void
    ) {
        let claim = state.withLock { state -> Result<OwnThread?, MaintenanceError> in
            if state.isClosing { return .failure(.storage(.unavailable)) }
            if state.isRunning { return .failure(.running) }
            state.isRunning = true
            defer { state.thread = nil }
            return .success(state.thread)
        }
        switch claim {
        case .failure(let error): completion(.failure(error))
        case .success(let ended):
            ended?.join()
            begin(run, completion)
        }
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

    private func begin(
        _ run: @escaping @Sendable () -> MaintenanceResult,
        _ completion: @escaping @Sendable (MaintenanceResult) -> Void
    ) {
        do {
            let thread = try OwnThread { [self] in
                let result = run()
                state.withLock { $0.isRunning = false }
                completion(result)
            }
            state.withLock { $0.thread = thread }
        } catch {
            state.withLock { $0.isRunning = false }
            completion(.failure(.storage(.unavailable)))
        }
    }
}
