// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A descriptor that becomes readable when someone rings, so that a thread can wait for that and a socket at once.
final class EventDescriptor: Sendable {
    let descriptor: Int32

    /// A descriptor that nobody has rung; nil when the process has no room for one.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func ring() {
        var one: UInt64 = 1
        // Refused only when it has been rung 2^64 - 2 times and is readable anyhow.
        _ = write(descriptor, &one, 8)
    }

    /// Waits until it was rung or the socket, if there is one, has something; answers whether the socket has.
    func wait(beside socket: Int32?, milliseconds: Int32) -> Bool {
        var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let socket { entries.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return false }
        if entries[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
        }
        return entries.count > 1 && entries[1].revents != 0
    }
}
