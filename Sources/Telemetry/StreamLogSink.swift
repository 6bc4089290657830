// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Writes log lines to a file descriptor from a thread of its own.
///
/// A caller formats its line, puts it into a bounded queue and goes on: a reader of the stream that has stopped
/// reading costs lines, never time. Lines that found the queue full are counted, and once there is room again
/// a line says how many were lost.
///
/// `@unchecked Sendable`: (1) everything mutable is in `queue`, which is touched only while `mutex` is held;
/// (2) `mutex` and `changed` are initialised before the thread starts and live as long as the process, for the
/// thread never ends; (3) the descriptor is only read.
public final class StreamLogSink: LogSink, LineSink, @unchecked Sendable {
    private struct Queue {
        var bytes: [UInt8] = []
        /// Lines lost since the last report.
        var unreported = 0
        var dropped = 0
        /// Bytes were taken from the queue and are not written yet.
        var isWriting = false
        /// There is something that should not wait for more.
        var isUrgent = false
    }

    private let descriptor: Int32
    private let format: LogFormat
    private let capacity: Int
    // Behind the lock, so that a check by the runtime would find nothing.
    @exclusivity(unchecked) private var queue = Queue()
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Starts the thread that writes to the descriptor.
    ///
    /// The sink is meant to live as long as the process. It is nil when the system starts no thread.
    ///
    /// - Parameters:
    ///   - descriptor: An open file descriptor, such as 1 for standard output.
    ///   - format: How lines look.
    ///   - capacity: How many bytes may wait to be written.
    public init?(descriptor: Int32, format: LogFormat, capacity: Int = 1 << 20) {
        self.descriptor = descriptor
        self.format = format
        self.capacity = capacity
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        let retained = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<StreamLogSink>.fromOpaque(context).takeRetainedValue().writeForever()
            },
            retained.toOpaque())
        guard error == 0 else {
            retained.release()
            return nil
        }
        pthread_detach(thread)
    }

    /// How many lines were lost so far because the stream's reader did not keep up.
    public var dropped: Int { withQueue { $0.dropped } }

    /// Queues one line.
    public func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {
        var line: [UInt8] = []
        line.reserveCapacity(192)
        format.append(event, level: level, at: .now(), fields: fields, to: &line)
        withQueue { queue in
            queue.isUrgent = true
            line.withUnsafeBufferPointer { take($0, count: 1, into: &queue) }
        }
        pthread_cond_broadcast(changed)
    }

    /// Queues lines that gather for a moment before they are written, so that a busy service wakes the writing thread some
    /// dozen times a second, and not for each of its requests.
    public func write(lines: UnsafeBufferPointer<UInt8>, count: Int) {
        let mustWake = withQueue { queue in
            let wasEmpty = queue.bytes.isEmpty
            take(lines, count: count, into: &queue)
            return wasEmpty || queue.bytes.count >= Self.gatheredBytes
        }
        if mustWake { pthread_cond_broadcast(changed) }
    }

    private func take(_ lines: UnsafeBufferPointer<UInt8>, count: Int, into queue: inout Queue) {
        guard queue.bytes.count + lines.count <= capacity else {
            queue.dropped += count
            queue.unreported += count
            return
        }
        if queue.unreported > 0 {
            let lost = queue.unreported
            queue.unreported = 0
            format.append(
                "log lines were lost", level: .warning, at: .now(),
                fields: ["count": .number(lost)], to: &queue.bytes)
        }
        queue.bytes.append(contentsOf: lines)
    }

    /// Waits until everything queued so far is written, but no longer than `milliseconds`: for the moment
    /// before the process ends.
    public func flush(milliseconds: Int) {
        var deadline = Self.moment(after: milliseconds)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        queue.isUrgent = true
        pthread_cond_broadcast(changed)
        while queue.isWriting || !queue.bytes.isEmpty {
            guard pthread_cond_timedwait(changed, mutex, &deadline) == 0 else { return }
        }
    }

    private func withQueue<Result>(_ body: (inout Queue) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&queue)
    }

    private func writeForever() -> Never {
        var batch: [UInt8] = []
        while true {
            batch.removeAll(keepingCapacity: true)
            pthread_mutex_lock(mutex)
            queue.isWriting = false
            pthread_cond_broadcast(changed)
            while queue.bytes.isEmpty { pthread_cond_wait(changed, mutex) }
            gather()
            swap(&batch, &queue.bytes)
            queue.isUrgent = false
            queue.isWriting = true
            pthread_mutex_unlock(mutex)
            writeAll(batch)
        }
    }

    /// With the lock held: waits for a moment for more lines, unless something is urgent or there is enough.
    private func gather() {
        var deadline = Self.moment(after: Self.gatheringMilliseconds)
        while !queue.isUrgent, queue.bytes.count < Self.gatheredBytes {
            guard pthread_cond_timedwait(changed, mutex, &deadline) == 0 else { return }
        }
    }

    private static let gatheringMilliseconds = 20
    private static let gatheredBytes = 64 << 10

    private static func moment(after milliseconds: Int) -> timespec {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        let nanoseconds = moment.tv_nsec + milliseconds % 1_000 * 1_000_000
        moment.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        return moment
    }

    /// A stream that is closed or broken loses its lines: there is nowhere left to say so.
    private func writeAll(_ batch: [UInt8]) {
        batch.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wait, 1, 1_000)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
