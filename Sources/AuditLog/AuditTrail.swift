// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// An audit log that is being written: each record is durable before whoever asked for it goes on.
///
/// A thread of its own takes what has gathered, writes it in one piece and syncs once. When that fails, nothing is
/// forgotten: the records wait, `isStopped` says so, and the thread tries again every second.
///
/// `@unchecked Sendable`: (1) `pending` and `isClosing` are read and written with the mutex held; (2) `descriptor`,
/// `chain`, `length` and `unwritten` are used by the thread, and by `init` before and `close` after its life.
public final class AuditTrail: @unchecked Sendable {
    /// Called with whether the record is on disk.
    public typealias Completion = @Sendable (Bool) -> Void

    private let files: AuditFiles
    private let maximumBytes: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var pending: [(record: AuditRecord, completion: Completion)] = []
    private var isClosing = false
    private let stopped = Atomic(false)
    private var thread = pthread_t()

    /// What the newest record of a change of the catalogue said that it was, when the log was opened.
    public let lastMark: [UInt8]?

    private var descriptor: Int32 = -1
    private var chain: AuditChain
    private var length = 0
    /// Lines that are in the chain and not on disk.
    private var unwritten: [UInt8] = []

    /// Opens a log, checks its newest file, and starts to write.
    ///
    /// A last line that was cut short is removed, and a record says so.
    ///
    /// - Parameters:
    ///   - path: where it is; made when absent, for its owner alone.
    ///   - key: the key of its chain.
    ///   - maximumBytes: how large a file may become before the next one is begun.
    ///   - now: the time of the first record, in milliseconds since the epoch.
    /// - Throws: `AuditLogError` when the file cannot be used, or its chain is broken.
    public init(
        path: String, key: AuditKey, maximumBytes: Int, now: Int64
    ) throws(AuditLogError) {
        // Before anything can fail: `deinit` destroys them then.
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        files = AuditFiles(path: path)
        self.maximumBytes = maximumBytes
        let before = files.fullPaths().last
        chain = AuditChain(key: key)
        if let before { chain = try AuditFiles.read(before, after: chain, isFirst: true).chain }
        let reading = try AuditFiles.read(path, after: chain, isFirst: false)
        chain = reading.chain
        lastMark = chain.mark
        length = reading.length
        try openFile()
        if reading.torn > 0 {
            append(AuditRecord(at: now, action: "auditRecovered", actor: "service"))
        }
        try startThread()
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Whether records cannot be written at the moment: what would need one is to be refused.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// Adds a record, and completes when it is on disk or could not be put there yet.
    ///
    /// The completion is called once, on the trail's thread, and must return at once; after `close` it is called at once,
    /// with false.
    public func append(_ record: AuditRecord, completion: @escaping Completion = { _ in }) {
        pthread_mutex_lock(mutex)
        let isOpen = !isClosing
        if isOpen {
            pending.append((record, completion))
            pthread_cond_signal(condition)
        }
        pthread_mutex_unlock(mutex)
        if !isOpen { completion(false) }
    }

    /// Writes what has gathered and closes the file.
    public func close() {
        pthread_mutex_lock(mutex)
        isClosing = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        pthread_join(thread, nil)
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Checks every file of a log, the oldest first; answers how many lines there are up to the last one.
    ///
    /// A line that is being written at its end is none.
    public static func verify(path: String, key: AuditKey) throws(AuditLogError) -> Int {
        var chain = AuditChain(key: key)
        let files = AuditFiles(path: path)
        var isFirst = true
        for path in files.fullPaths() {
            chain = try AuditFiles.read(path, after: chain, isFirst: isFirst).chain
            isFirst = false
        }
        return try AuditFiles.read(path, after: chain, isFirst: false).chain.sequence
    }

    private func startThread() throws(AuditLogError) {
        let unmanaged = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<AuditTrail>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, unmanaged.toOpaque())
        guard code == 0 else {
            unmanaged.release()
            throw .thread(errno: code)
        }
    }

    // Everything below runs on the trail's thread, or in `init` before there is one.

    private func run() {
        while true {
            let (batch, isLast) = nextBatch()
            for item in batch { unwritten += chain.append(item.record) }
            let isDone = writeOut()
            stopped.store(!isDone, ordering: .relaxed)
            for item in batch { item.completion(isDone) }
            if isLast { return }
        }
    }

    /// Waits for records; for a second only while some are not written.
    private func nextBatch() -> (batch: [(record: AuditRecord, completion: Completion)], Bool) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while pending.isEmpty, !isClosing {
            guard !unwritten.isEmpty else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var deadline = timespec()
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_sec += 1
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
        }
        defer { pending = [] }
        return (pending, isClosing)
    }

    /// Puts on disk what is not there yet; false when it could not be done now.
    private func writeOut() -> Bool {
        do {
            if length >= maximumBytes { try rotate() }
            if descriptor < 0 { try openFile() }
        } catch {
            return false
        }
        var written = 0
        while written < unwritten.count {
            let count = unwritten.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress.map { $0 + written }, $0.count - written,
                    off_t(length + written))
            }
            if count < 0, errno == EINTR { continue }
            // What was written of it is written over by the next attempt.
            guard count > 0 else { return false }
            written += count
        }
        guard unwritten.isEmpty || fsync(descriptor) == 0 else {
            // Pages that a failed sync has lost are not written by the next one: the file is written anew.
            Glibc.close(descriptor)
            descriptor = -1
            return false
        }
        length += written
        unwritten = []
        return true
    }

    private func openFile() throws(AuditLogError) {
        descriptor = open(files.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw AuditFiles.failure(files.path, "open") }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, off_t(length)) == 0,
            fsync(descriptor) == 0
        else {
            let failure = AuditFiles.failure(files.path, "prepare")
            Glibc.close(descriptor)
            descriptor = -1
            throw failure
        }
    }

    /// Gives the full file its name and begins the next.
    private func rotate() throws(AuditLogError) {
        // Lines that are not written yet belong to the next file.
        let lines = unwritten.count { $0 == UInt8(ascii: "\n") }
        let target = files.fullPath(sequence: chain.sequence - lines)
        guard rename(files.path, target) == 0 else {
            throw AuditFiles.failure(files.path, "rename")
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        length = 0
        try openFile()
    }
}
