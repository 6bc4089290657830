// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Asks the service of this machine whether it is alive: what a container's health check runs, so that its image
/// needs no HTTP client.
enum HealthCheck {
    private static let seconds = 3

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        let host = Address.reachable(settings.text(.host) ?? "")
        let status = try status(host: host, port: settings.number(.port) ?? 0)
        guard status == "200" else {
            throw Failure(.unavailable, "/healthz answered with status \(status)")
        }
    }

    /// The three digits of the status with which `GET /healthz` is answered.
    private static func status(host: String, port: Int) throws(Failure) -> String {
        let socket = try connect(host: host, port: port)
        defer { close(socket) }
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let request = Array(
            "GET /healthz HTTP/1.1\r\nHost: \(shownHost):\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else {
            throw Failure(.unavailable, "send the request: \(File.lastError())")
        }
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while head.count < 12 {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure(.unavailable, "no answer from /healthz") }
            head.append(contentsOf: buffer[..<count])
        }
        let digits = head[9..<12]
        guard head.starts(with: Array("HTTP/1.1 ".utf8)),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw Failure(.unavailable, "what answers is no HTTP server") }
        return String(decoding: digits, as: UTF8.self)
    }

    /// A connected socket on which every call ends within the time limit.
    private static func connect(host: String, port: Int) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee
        else {
            throw Failure(.configuration, "host: must be a numeric address or localhost")
        }
        defer { freeaddrinfo(found) }
        let socket = Glibc.socket(address.ai_family, address.ai_socktype, 0)
        guard socket >= 0 else { throw Failure(.system, "open a socket: \(File.lastError())") }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 else {
            let reason = File.lastError()
            close(socket)
            throw Failure(.unavailable, "connect to port \(port): \(reason)")
        }
        return socket
    }
}
