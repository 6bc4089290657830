// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

extension RawHTTPClient {
    /// Sends a request with what it needs besides, and reads its response.
    func request(
        _ method: String, _ target: String, body: String? = nil, fields: [String: String] = [:]
    ) throws -> RawResponse {
        var fields = fields
        if fields["Host"] == nil { fields["Host"] = "localhost" }
        if let body {
            fields["Content-Length"] = String(body.utf8.count)
            if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        }
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            head += "\(name): \(value)\r\n"
        }
        try send(head + "\r\n" + (body ?? ""))
        return try readResponse(milliseconds: 20_000)
    }
}

extension TemporaryDirectory {
    /// Writes a file and returns its path.
    func write(_ name: String, _ content: String) throws -> String {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(content.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        return file(name)
    }
}
