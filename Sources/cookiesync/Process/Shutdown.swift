// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Turns SIGTERM, SIGINT and SIGHUP into a wish that the main thread waits for; the second signal ends the process at
/// once.
///
/// The signals are blocked in every thread and taken by one thread with `sigwait`, so that no handler ever runs
/// in the middle of something.
final class Shutdown: Sendable {
    private let requested = DispatchSemaphore(value: 0)
    private let signals: sigset_t

    /// Call this before any other thread is started: threads inherit the mask.
    init() throws(Failure) {
        var blocked = Self.stopping()
        signals = blocked
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        let retained = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Shutdown>.fromOpaque(context).takeRetainedValue().takeSignals()
            },
            retained.toOpaque())
        guard error == 0 else {
            retained.release()
            throw Failure(.system, "start the thread that takes signals: \(File.message(error))")
        }
        pthread_detach(thread)
    }

    /// Waits for the first signal.
    func wait() { requested.wait() }

    /// The signals that stop the process.
    ///
    /// SIGHUP, which a terminal sends that is closed, is one unless it is ignored, as `nohup` has it.
    private static func stopping() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        var hangUp = sigaction()
        sigaction(SIGHUP, nil, &hangUp)
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        if unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) != ignored {
            sigaddset(&signals, SIGHUP)
        }
        return signals
    }

    private func takeSignals() -> Never {
        var signals = signals
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 {}
        requested.signal()
        while sigwait(&signals, &signal) != 0 {}
        // What was acknowledged is on disk; nothing else is owed. 128 and the signal is what a shell would show.
        _exit(128 + signal)
    }
}
