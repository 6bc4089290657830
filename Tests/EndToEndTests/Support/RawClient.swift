// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// One connection to a service on 127.0.0.1, and what comes back on it.
struct RawClient {
    /// Nobody listens.
    struct Refused: Error {}

    struct Response {
        let status: Int
        let fields: [String: String]
        let body: String
    }

    private let socket: Int32
    private let input: LineReader

    init(port: Int) throws {
        socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(socket >= 0)
        input = LineReader(descriptor: socket)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Refused() }
    }

    /// Sends bytes as they are.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(
            Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// Sends a request and reads its response.
    func request(
        _ method: String, _ target: String, body: String? = nil, fields: [String: String] = [:]
    ) throws -> Response {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        var fields = fields
        if fields["Host"] == nil { fields["Host"] = "localhost" }
        if let body {
            fields["Content-Length"] = String(body.utf8.count)
            if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            head += "\(name): \(value)\r\n"
        }
        try send(head + "\r\n" + (body ?? ""))
        return try response()
    }

    /// Reads one response with a `Content-Length` or without content.
    func response() throws -> Response {
        let statusLine = try input.line(containing: "HTTP/1.1 ")
        let status = try #require(Int(statusLine.dropFirst(9).prefix(3)))
        var fields: [String: String] = [:]
        while true {
            let line = try input.line(containing: "\r").dropLast()
            if line.isEmpty { break }
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let count = fields["content-length"].flatMap { Int($0) } ?? 0
        return Response(
            status: status, fields: fields,
            body: String(decoding: try input.read(count), as: UTF8.self))
    }

    /// Whether the server has closed the connection; waits for it.
    func isClosed() throws -> Bool { try input.readToEnd(seconds: 20).isEmpty }
}
