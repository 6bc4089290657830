// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import HTTPServer
import Locks

/// A file on its way in: the event loop hands pieces over, the import thread reads them.
///
/// What has come and is not read yet is bounded; beyond it the client has to wait.
final class ImportUpload: HTTPBodySink {
    /// How much may wait to be read.
    private static let maximumWaiting = 256 << 10

    /// What the reading came to: what is to be stored, or why the file is refused.
    typealias Completion = @Sendable (Result<PreparedImport, CookieFileError>) -> Void

    private struct State: Sendable {
        var reading: ImportReading?
        var waiting: [[UInt8]] = []
        var waitingBytes = 0
        var signal: HTTPStreamSignal?
        var isPaused = false
        var isScheduled = false
        var isGone = false
        var error: CookieFileError?
        var completion: Completion?

        /// Whether there is something to do that nobody has been asked to do yet; asks.
        mutating func schedules() -> Bool {
            guard !isScheduled, !isGone, reading != nil, !waiting.isEmpty || completion != nil
            else {
                return false
            }
            isScheduled = true
            return true
        }
    }

    /// What tells this file from others, for a call that takes effect once.
    let digest: ContentDigest?
    private let queue: ImportQueue
    private let refusal: @Sendable (CookieFileError) -> HTTPResponse
    private let state: Locked<State>

    /// A file of which nothing has come.
    ///
    /// - Parameters:
    ///   - reading: What reads it.
    ///   - queue: The thread; the file has a place there, which it gives back.
    ///   - digest: What is to be fed with the content; nil when nobody asks for it.
    ///   - refusal: The answer to a file that turns out to be unreadable before all of it has come.
    init(
        _ reading: ImportReading, on queue: ImportQueue, digest: ContentDigest? = nil,
        refusal: @escaping @Sendable (CookieFileError) -> HTTPResponse
    ) {
        self.queue = queue
        self.digest = digest
        self.refusal = refusal
        state = Locked(State(reading: reading))
    }

    deinit { queue.leave() }

    func start(_ signal: HTTPStreamSignal) {
        state.withLock { $0.signal = signal }
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPSinkProgress {
        digest?.add(bytes)
        let (progress, starts) = state.withLock { state -> (HTTPSinkProgress, Bool) in
            if let error = state.error { return (.refuse(refusal(error)), false) }
            state.waiting.append(Array(bytes))
            state.waitingBytes += bytes.count
            state.isPaused = state.waitingBytes > Self.maximumWaiting
            return (state.isPaused ? .pause : .more, state.schedules())
        }
        if starts { schedule() }
        return progress
    }

    /// Nothing of the file was stored, and nothing will be.
    func cancel() {
        state.withLock { state in
            state.isGone = true
            state.waiting = []
            state.reading = nil
        }
    }

    /// Says that all of the file has come.
    func finish(_ completion: @escaping Completion) {
        let (starts, error) = state.withLock { state -> (Bool, CookieFileError?) in
            state.completion = completion
            return (state.schedules(), state.error)
        }
        if starts { schedule() }
        if let error { completion(.failure(error)) }
    }

    private func schedule() {
        queue.run { self.work() }
    }

    /// Reads what has come; other files have their turn in between.
    private func work() {
        // Taken out, not copied: what it holds is changed in place.
        guard var reading = state.withLock({ $0.reading.take() }) else { return }
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        do throws(CookieFileError) {
            for piece in pieces { try reading.take(piece[...]) }
            settle(reading, after: pieces.reduce(0) { $0 + $1.count })
        } catch {
            fail(error)
        }
    }

    private func settle(_ reading: ImportReading, after count: Int) {
        let (signal, continues, completion) = state.withLock {
            state -> (HTTPStreamSignal?, Bool, Completion?) in
            guard !state.isGone else { return (nil, false, nil) }
            state.waitingBytes -= count
            state.isScheduled = false
            guard state.waiting.isEmpty, let completion = state.completion else {
                state.reading = reading
                let wakes = state.isPaused && state.waitingBytes <= Self.maximumWaiting
                if wakes { state.isPaused = false }
                return (wakes ? state.signal : nil, state.schedules(), nil)
            }
            return (nil, false, completion)
        }
        signal?.signal()
        if continues { schedule() }
        guard let completion else { return }
        var last = reading
        do throws(CookieFileError) {
            completion(.success(try last.finish()))
        } catch {
            completion(.failure(error))
        }
    }

    private func fail(_ error: CookieFileError) {
        let (signal, completion) = state.withLock { state -> (HTTPStreamSignal?, Completion?) in
            state.error = error
            state.isScheduled = false
            state.waiting = []
            let isPaused = state.isPaused
            state.isPaused = false
            return (isPaused ? state.signal : nil, state.completion)
        }
        signal?.signal()
        completion?(.failure(error))
    }
}
