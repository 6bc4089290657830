// SPDX-License-Identifier: Apache-2.0

import CookieSyncClient
import Testing

@testable import CookieSyncSocketTransport

@Suite("Responses, read off a connection")
struct ResponseReaderTests {
    /// Reads a text that comes in pieces of some size.
    private func read(_ text: String, by size: Int) throws(TransportError) -> TransportResponse {
        var rest = Array(text.utf8)[...]
        var reader = ResponseReader()
        return try reader.read { () throws(TransportError) in
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    @Test(
        "end by length, by chunks, by the connection, or at once",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nT: 1\r\n\r\n",
                200, "hello"
            ),
            ("HTTP/1.0 500 \r\n\r\nhello", 500, "hello"), ("HTTP/1.1 204 No\r\n\r\n", 204, ""),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 N\r\nContent-Length: 9\r\n\r\n", 304, ""),
        ], [1, 2, 7, 4096])
    func responses(sample: (String, Int, String), size: Int) throws {
        let response = try read(sample.0, by: size)
        #expect(response.status == sample.1)
        #expect(String(decoding: response.body, as: UTF8.self) == sample.2)
    }

    @Test("fields keep their order and lose the blanks around them")
    func fields() throws {
        let response = try read("HTTP/1.1 204 X\r\nA:  1 \r\nb:\r\nA: 2\r\n\r\n", by: 3)
        #expect(response.fields.map { "\($0.name)=\($0.value)" } == ["A=1", "b=", "A=2"])
    }

    @Test(
        "what is no whole response is an error",
        arguments: [
            "", "SSH-2.0\r\n", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n",
        ])
    func broken(text: String) {
        #expect(throws: TransportError.self) { try read(text, by: 5) }
    }
}
