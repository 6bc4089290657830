// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// What the system calls an error number.
func systemMessage(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0, let end = buffer.firstIndex(of: 0) else {
        return "error \(code)"
    }
    return String(decoding: buffer[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The calls that concern sockets, without policy.
enum Socket {
    /// What came of an attempt to accept.
    enum Accepted {
        case connection(Int32, PeerAddress)
        /// Nobody is waiting.
        case none
        /// The process or the system has no descriptor or no memory left.
        case exhausted
        /// The client has gone again, or the network had a hiccup (accept(2)).
        case failed
    }

    /// Opens a listening socket.
    ///
    /// Accepted sockets inherit its options: no delay of small answers, and at most `unsentBytes` in the kernel that
    /// were not sent yet, so that a slow reader does not make it buffer megabytes.
    static func listen(
        host: String, port: UInt16, backlog: Int, unsentBytes: Int
    ) throws(ServerStartError) -> (descriptor: Int32, port: UInt16) {
        var address = try resolve(host, port)
        let family = Int32(address.ss_family)
        let descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(clamping: unsentBytes))
        let size = addressSize(family)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0
            }
        }
        guard isBound else { throw failure("bind", descriptor) }
        guard Glibc.listen(descriptor, Int32(clamping: backlog)) == 0 else {
            throw failure("listen", descriptor)
        }
        return (descriptor, try boundPort(descriptor))
    }

    static func accept(_ listener: Int32) -> Accepted {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                accept4(listener, $0, &size, flags)
            }
        }
        if descriptor >= 0 { return .connection(descriptor, peer(address)) }
        switch errno {
        case EAGAIN: return .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .failed
        }
    }

    /// A descriptor that is good for nothing but being closed when one is needed.
    static func openSpare() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Has the close of a connection throw away what its client does not take, and tell the client so.
    ///
    /// Without it the system keeps the output, for minutes, on behalf of a client that does not read.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func failure(_ call: String, _ descriptor: Int32) -> ServerStartError {
        let code = errno
        close(descriptor)
        return .system(call: call, errno: code)
    }

    private static func setOption(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32
    ) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func resolve(
        _ host: String, _ port: UInt16
    ) throws(ServerStartError) -> sockaddr_storage {
        var storage = sockaddr_storage()
        let name = host == "localhost" ? "127.0.0.1" : host
        var ipv4 = sockaddr_in()
        var ipv6 = sockaddr_in6()
        if inet_pton(AF_INET, name, &ipv4.sin_addr) == 1 {
            ipv4.sin_family = sa_family_t(AF_INET)
            ipv4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: ipv4, to.copyMemory) }
        } else if inet_pton(AF_INET6, name, &ipv6.sin6_addr) == 1 {
            ipv6.sin6_family = sa_family_t(AF_INET6)
            ipv6.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { to in withUnsafeBytes(of: ipv6, to.copyMemory) }
        } else {
            throw .invalidHost(host)
        }
        return storage
    }

    private static func addressSize(_ family: Int32) -> socklen_t {
        socklen_t(
            family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    }

    private static func boundPort(_ descriptor: Int32) throws(ServerStartError) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isKnown else { throw failure("getsockname", descriptor) }
        // The port lies at the same place in both families.
        return withUnsafeBytes(of: address) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static func peer(_ address: sockaddr_storage) -> PeerAddress {
        withUnsafeBytes(of: address) { bytes in
            guard Int32(address.ss_family) == AF_INET6 else {
                return PeerAddress(
                    ipv4: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                )
            }
            return PeerAddress(
                ipv6: (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                ))
        }
    }
}
