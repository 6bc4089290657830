// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
    import Glibc
#endif

/// A client that sends bytes as they are and reads bytes as they come, over one TCP connection to the loopback address.
public final class RawHTTPClient {
    /// What went wrong with a connection.
    public enum Failure: Error {
        /// A call of the system failed.
        case system(String, Int32)
        /// Nothing came within the time that was given.
        case timedOut(received: [UInt8])
        /// The server closed before everything was there.
        case closed(received: [UInt8])
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects.
    public init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        // Not for child processes, which would keep the connection open when this end has closed it.
        descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno) }
        if var size = receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.system("connect", code)
        }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Sends text as UTF-8.
    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends bytes, all of them.
    public func send(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.system("send", errno) }
            offset += count
        }
    }

    /// Says that nothing more will be sent.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Resets the connection instead of closing it.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Reads until the server closes.
    ///
    /// - Returns: Everything that was not yet returned.
    public func readToEnd(milliseconds: Int32 = 30_000) throws -> [UInt8] {
        while try receive(milliseconds) {}
        defer { received = [] }
        return received
    }

    /// Reads exactly so many bytes.
    public func read(_ count: Int, milliseconds: Int32 = 30_000) throws -> [UInt8] {
        while received.count < count {
            guard try receive(milliseconds) else { throw Failure.closed(received: received) }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Reads one response.
    ///
    /// - Parameters:
    ///   - isHead: Whether it answers HEAD and so has no content.
    ///   - milliseconds: How long to wait for more of it.
    /// - Returns: The response; interim ones are responses too.
    /// - Throws: `Failure`, if it does not come whole.
    public func readResponse(isHead: Bool = false, milliseconds: Int32 = 30_000) throws
        -> RawResponse
    {
        while true {
            if let (response, used) = RawResponse.parse(received, isHead: isHead) {
                received.removeFirst(used)
                return response
            }
            guard try receive(milliseconds) else { throw Failure.closed(received: received) }
        }
    }

    /// Waits until something has come, and takes all of it; nothing at the end.
    public func readSome(milliseconds: Int32 = 30_000) throws -> [UInt8] {
        if received.isEmpty { _ = try receive(milliseconds) }
        defer { received = [] }
        return received
    }

    /// Sends a request and reads its response.
    public func exchange(_ request: String) throws -> RawResponse {
        try send(request)
        return try readResponse(isHead: request.hasPrefix("HEAD "))
    }

    /// Waits for something to be received, and says whether there was; false is the end.
    private func receive(_ milliseconds: Int32) throws -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else {
            throw Failure.timedOut(received: received)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received += buffer[..<count] }
        return count > 0
    }
}

/// A response as it came over the wire.
public struct RawResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The fields in order, names in lower case.
    public let fields: [(name: String, value: String)]
    /// The content, without chunks.
    public let body: [UInt8]

    /// The content as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a field, by its name in lower case.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Parses a response from the beginning of bytes; nil while it is not complete.
    public static func parse(_ bytes: [UInt8], isHead: Bool) -> (RawResponse, used: Int)? {
        guard let end = find([13, 10, 13, 10], in: bytes, from: 0) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.dropFirst(9).prefix(3)) else {
            return nil
        }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: parts[0].lowercased(),
                value: String(parts.last?.drop(while: { $0 == " " }) ?? "")
            )
        }
        let start = end + 4
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        if isHead || status < 200 || status == 204 || status == 304 {
            return (RawResponse(status: status, fields: fields, body: []), start)
        }
        if value("transfer-encoding") == "chunked" {
            guard let (body, used) = unchunk(bytes, from: start) else { return nil }
            return (RawResponse(status: status, fields: fields, body: body), used)
        }
        let length = value("content-length").flatMap { Int($0) } ?? 0
        guard bytes.count >= start + length else { return nil }
        let body = Array(bytes[start..<(start + length)])
        return (RawResponse(status: status, fields: fields, body: body), start + length)
    }

    private static func unchunk(_ bytes: [UInt8], from start: Int) -> ([UInt8], used: Int)? {
        var body: [UInt8] = []
        var offset = start
        while let lineEnd = find([13, 10], in: bytes, from: offset) {
            guard
                let size = Int(String(decoding: bytes[offset..<lineEnd], as: UTF8.self), radix: 16)
            else { return nil }
            let data = lineEnd + 2
            guard bytes.count >= data + size + 2 else { return nil }
            if size == 0 { return (body, data + 2) }
            body += bytes[data..<(data + size)]
            offset = data + size + 2
        }
        return nil
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + pattern.count <= bytes.count {
            if bytes[index..<(index + pattern.count)].elementsEqual(pattern) { return index }
            index += 1
        }
        return nil
    }
}
