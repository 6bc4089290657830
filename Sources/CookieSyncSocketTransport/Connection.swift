// SPDX-License-Identifier: Apache-2.0

import CookieSyncClient
import Glibc
import Locks

/// One connection, used by one thread and cancelled by any.
final class Connection: Sendable {
    private enum State {
        case unopened
        case open(Int32)
        case cancelled
    }

    private let state = Locked(State.unopened)
    private static let pieceBytes = 65_536

    /// Connects; each later call fails after so many seconds without an octet.
    func open(_ server: ServerAddress, seconds: Int) throws(TransportError) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(server.host, String(server.port), &hints, &found) == 0 else {
            throw TransportError("find the address of \(server.host)", isUnsent: true)
        }
        defer { freeaddrinfo(found) }
        var reason = "no address"
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let socket = Glibc.socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard socket >= 0 else {
                reason = String(cString: strerror(errno))
                continue
            }
            var limit = timeval(tv_sec: seconds, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(
                    socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
            if connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return try keep(socket) }
            reason = String(cString: strerror(errno))
            Glibc.close(socket)
        }
        throw TransportError("connect to \(server.authority): \(reason)", isUnsent: true)
    }

    private func keep(_ socket: Int32) throws(TransportError) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .open(socket)
            return false
        }
        guard isCancelled else { return }
        Glibc.close(socket)
        throw TransportError("cancelled", isUnsent: true)
    }

    /// Sends some bytes and tells about each piece; false when the other side took not all of them.
    func send(_ bytes: [UInt8], _ progress: ((Int) -> Void)?) -> Bool {
        guard let socket else { return false }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket, buffer.baseAddress.map { $0 + sent },
                    min(Self.pieceBytes, bytes.count - sent), Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
            progress?(sent)
        }
        return true
    }

    /// The next bytes; empty at the end.
    func receive() throws(TransportError) -> [UInt8] {
        guard let socket else { throw TransportError("cancelled", isUnsent: false) }
        while true {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, used in
                count = recv(socket, buffer.baseAddress, buffer.count, 0)
                used = max(0, count)
            }
            if count >= 0 { return piece }
            if errno == EINTR { continue }
            let reason = errno == EAGAIN ? "no answer in time" : String(cString: strerror(errno))
            throw TransportError(reason, isUnsent: false)
        }
    }

    /// Makes every call of the thread that uses it fail; the descriptor stays that thread's to close.
    func cancel() {
        state.withLock { state in
            guard case .open(let socket) = state else {
                state = .cancelled
                return
            }
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    /// Closes it for good.
    func close() {
        state.withLock { state in
            if case .open(let socket) = state { Glibc.close(socket) }
            state = .cancelled
        }
    }

    private var socket: Int32? {
        state.withLock { state in
            if case .open(let socket) = state { return socket }
            return nil
        }
    }
}
