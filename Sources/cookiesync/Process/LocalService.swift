// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The service that runs with the same settings, asked over HTTP.
struct LocalService {
    private let host: String
    private let port: Int
    private let seconds: Int

    /// The service; a call fails after so many seconds without an octet.
    init(_ settings: Settings, seconds: Int) {
        host = Address.reachable(settings.text(.host) ?? "")
        port = settings.number(.port) ?? 0
        self.seconds = seconds
    }

    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    /// Sends one request and reads its answer to the end.
    func ask(
        _ method: String, _ path: String, token: [UInt8]? = nil, json: [UInt8]? = nil
    ) throws(Failure) -> Answer {
        let socket = try connect()
        defer { close(socket) }
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        var request = Array(
            "\(method) \(path) HTTP/1.1\r\nHost: \(shownHost):\(port)\r\nConnection: close\r\n"
                .utf8)
        if let token { request += Array("Authorization: Bearer ".utf8) + token + [13, 10] }
        if let json {
            request += "Content-Type: application/json\r\nContent-Length: \(json.count)\r\n".utf8
        }
        request += [13, 10] + (json ?? [])
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Failure(.unavailable, "send the request: \(File.lastError())")
        }
        return try Self.read(from: socket, path)
    }

    private static func read(from socket: Int32, _ path: String) throws(Failure) -> Answer {
        var message: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while message.count < 1 << 24 {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure(.unavailable, "no answer from \(path)") }
            if count == 0 { break }
            message.append(contentsOf: buffer[..<count])
        }
        let digits = message.dropFirst(9).prefix(3)
        guard message.starts(with: Array("HTTP/1.1 ".utf8)),
            let status = Int(String(decoding: digits, as: UTF8.self)),
            let end = message.firstRange(of: [13, 10, 13, 10])
        else { throw Failure(.unavailable, "what answers is no HTTP server") }
        return Answer(status: status, body: Array(message[end.upperBound...]))
    }

    /// A connected socket on which every call ends within the time limit.
    private func connect() throws(Failure) -> Int32 {
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
