// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import HTTPServer

@Suite("The response serializer")
struct ResponseSerializerTests {
    private func terms(_ request: String) -> ResponseTerms {
        var parser = RequestParser()
        _ = parser.advance(Array(request.utf8).span, limits: HTTPLimits())
        return ResponseTerms(parser.head)
    }

    private func write(
        _ status: HTTPStatus, _ fields: HTTPFields = HTTPFields(), _ body: [UInt8] = [],
        to request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", closes: Bool = false
    ) -> String {
        var configuration = ServerConfiguration()
        configuration.defaultFields = [("X-Content-Type-Options", "nosniff")]
        var serializer = ResponseSerializer(configuration)
        serializer.setTime(784_111_777)
        var output: [UInt8] = []
        serializer.write(status, fields, body, terms: terms(request), closes: closes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private let common =
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Content-Type-Options: nosniff\r\n"

    @Test("a response has a date, the default fields, its own, and its length")
    func whole() {
        #expect(
            write(.ok, HTTPFields(["X-A": "b"]), Array("hi".utf8))
                == "HTTP/1.1 200 OK\r\n\(common)X-A: b\r\nContent-Length: 2\r\n\r\nhi")
        #expect(write(.notFound) == "HTTP/1.1 404 Not Found\r\n\(common)Content-Length: 0\r\n\r\n")
        #expect(
            write(HTTPStatus(code: 299)) == "HTTP/1.1 299 \r\n\(common)Content-Length: 0\r\n\r\n")
    }

    @Test("204 and 304 have neither length nor content")
    func noContent() {
        #expect(
            write(.noContent, HTTPFields(), [0x61]) == "HTTP/1.1 204 No Content\r\n\(common)\r\n")
        #expect(write(.notModified) == "HTTP/1.1 304 Not Modified\r\n\(common)\r\n")
    }

    @Test("HEAD keeps the length and drops the content")
    func head() {
        let text = write(
            .ok, HTTPFields(), Array("hello".utf8), to: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(text == "HTTP/1.1 200 OK\r\n\(common)Content-Length: 5\r\n\r\n")
    }

    @Test("the connection's fate is said where it is not the default")
    func connection() {
        #expect(write(.ok, closes: true).hasSuffix("Connection: close\r\n\r\n"))
        let legacy = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        #expect(write(.ok, to: legacy).hasSuffix("Connection: keep-alive\r\n\r\n"))
    }

    @Test(
        "content is compressed from 1 KiB on, if it is accepted and not coded already, and Vary says so",
        arguments: [
            (1023, true, [:], false, nil), (1024, true, [:], true, "Accept-Encoding"),
            (1024, false, [:], false, "Accept-Encoding"),
            (1024, true, ["Content-Encoding": "br"], false, nil),
            (1024, true, ["Vary": "Accept, Accept-Encoding"], true, "Accept, Accept-Encoding"),
        ] as [(Int, Bool, KeyValuePairs<String, String>, Bool, String?)])
    func compression(
        _ count: Int, _ accepts: Bool, _ fields: KeyValuePairs<String, String>, _ compresses: Bool,
        _ vary: String?
    ) throws {
        let request =
            "GET / HTTP/1.1\r\nHost: a\r\n\(accepts ? "Accept-Encoding: gzip\r\n" : "")\r\n"
        var serializer = ResponseSerializer(ServerConfiguration())
        serializer.setTime(0)
        var output: [UInt8] = []
        let body = [UInt8](repeating: 0x61, count: count)
        serializer.write(
            .ok, HTTPFields(fields), body, terms: terms(request), closes: false, to: &output)
        let (response, used) = try #require(RawResponse.parse(output, isHead: false))
        #expect(used == output.count)
        #expect((response["content-encoding"] == "gzip") == compresses)
        #expect(
            response.fields.filter { $0.name == "vary" }.map(\.value) == (vary.map { [$0] } ?? []))
        #expect((response.body == body) == !compresses)
    }
}
