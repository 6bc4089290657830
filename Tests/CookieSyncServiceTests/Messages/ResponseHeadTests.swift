// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@testable import CookieSyncService

@Suite("Raw response heads")
struct ResponseHeadTests {
    private func fields(_ text: String) throws -> [String] {
        try Array(text.utf8).withUnsafeBufferPointer { message in
            var lines = MessageLines(of: message)
            return try ResponseHead(from: &lines).fields.map {
                "\(String(decoding: $0.name, as: UTF8.self))=\(String(decoding: $0.secretValue, as: UTF8.self))"
            }
        }
    }

    @Test(
        "of any version, with CRLF or LF",
        arguments: [
            "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nB: 2\r\n\r\n", "HTTP/1.0 200\nA: 1\n\nB: 2\n\n",
            "HTTP/2 200\r\nA: 1\r\n\r\n", "HTTP/2 200 \r\nA: 1\r\n\r\n",
            "HTTP/3 404 Not Found\r\nA: 1\r\n\r\n",
            "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nHTTP/2 200\r\nA: 1\r\n\r\n",
            "HTTP/1.0 200 Connection Established\n\nHTTP/1.1 100\n\nHTTP/1.1 200 OK\nA: 1\n\n",
            "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nA: 2\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nA: 0\r\n\r\nHTTP/1.1 100\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\n\r\n",
        ])
    func versions(_ text: String) throws {
        #expect(try fields(text) == ["A=1"])
    }

    @Test("blanks around names and values go, those within stay")
    func blanks() throws {
        #expect(try fields("HTTP/1.1 200 OK\r\nA :\t a  b \t\r\nB:\r\n\r\n") == ["A=a  b", "B="])
    }

    @Test("a line that begins with a blank goes on with the one before it")
    func continuation() throws {
        #expect(
            try fields("HTTP/1.1 200 OK\r\nA: 1;\r\n  x\r\n\ty\r\nB: 2\r\n\r\n") == [
                "A=1; x y", "B=2",
            ])
    }

    @Test("a line without a colon is passed over")
    func noColon() throws {
        #expect(try fields("HTTP/1.1 200 OK\r\nnonsense\r\nA: 1\r\n\r\n") == ["A=1"])
    }

    @Test("NUL and a lone CR stay in the value, for the cookie rules to judge")
    func controls() throws {
        #expect(try fields("HTTP/1.1 200 OK\r\nA: x\0\ry\r\n\r\n") == ["A=x\0\ry"])
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "\r\n\r\n", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/ 200 OK\r\n\r\n",
            "HTTP/1.1  200\r\n\r\n",
            "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1 20x\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
            " HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r", "HTTP/x 200\r\n\r\n",
        ])
    func refuses(_ text: String) {
        #expect(throws: Problem.self) { try fields(text) }
    }
}
