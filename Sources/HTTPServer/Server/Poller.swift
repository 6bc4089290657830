// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A level-triggered epoll instance.
struct Poller: ~Copyable {
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue
    static let peerFinished = EPOLLRDHUP.rawValue
    static let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue

    private static let capacity = 256

    private let descriptor: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)

    /// Takes over an epoll descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        events.initialize(repeating: epoll_event(), count: Self.capacity)
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    func add(_ descriptor: Int32, _ interest: UInt32, key: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, descriptor, interest, key)
    }

    func modify(_ descriptor: Int32, _ interest: UInt32, key: UInt64) -> Bool {
        control(EPOLL_CTL_MOD, descriptor, interest, key)
    }

    func remove(_ descriptor: Int32) {
        _ = control(EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits for events.
    ///
    /// - Parameter milliseconds: How long at most; negative for as long as it takes.
    /// - Returns: How many there are, to be read with the subscript until the next call.
    func wait(milliseconds: Int32) -> Int {
        var count = epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)
        // A process that was stopped comes back with no events, after a time that may have made peers late: what has
        // arrived meanwhile counts before that.
        while count < 0, errno == EINTR {
            count = epoll_wait(descriptor, events, Int32(Self.capacity), 0)
        }
        return Int(max(0, count))
    }

    /// The event of an index below what `wait` returned.
    subscript(index: Int) -> (key: UInt64, events: UInt32) {
        precondition(index < Self.capacity)
        return (events[index].data.u64, events[index].events)
    }

    private func control(
        _ operation: Int32, _ target: Int32, _ interest: UInt32, _ key: UInt64
    ) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(u64: key))
        return epoll_ctl(descriptor, operation, target, &event) == 0
    }
}
