// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("The request parser")
struct RequestParserTests {
    /// Everything that the parser says about some bytes.
    struct Outcome: Equatable {
        var progress = RequestParser.Progress.needsMore
        var head = RequestHead()
        var fields: [FieldRange] = []
    }

    static func outcome(_ pieces: [ArraySlice<UInt8>], _ limits: HTTPLimits = HTTPLimits())
        -> Outcome
    {
        var parser = RequestParser()
        var window: [UInt8] = []
        for piece in pieces {
            window += piece
            let progress = parser.advance(window.span, limits: limits)
            if progress != .needsMore {
                return Outcome(
                    progress: progress, head: progress == .complete ? parser.head : RequestHead(),
                    fields: progress == .complete ? parser.fields : [])
            }
        }
        return Outcome()
    }

    static func outcome(_ text: String) -> Outcome { outcome([Array(text.utf8)[...]]) }

    static func fault(_ text: String) -> HTTPFault? {
        if case .fault(let fault) = outcome(text).progress { fault } else { nil }
    }

    private func text(_ range: ByteRange?, in request: String) -> String? {
        range.map { String(decoding: Array(request.utf8)[$0.range], as: UTF8.self) }
    }

    @Test(
        "§3: request lines",
        arguments: [
            ("GET /HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1\n", .malformedRequestLine),
            (" GET / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET\t/ HTTP/1.1\r\n", .malformedRequestLine),
            ("GET  / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET /  HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1 \r\n", .malformedRequestLine),
            ("GET /\r\n", .malformedRequestLine),
            ("GET / http/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1\u{0}\r\n", .malformedRequestLine),
            ("G(T / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/2.0\r\n", .unsupportedVersion),
            ("GET / HTTP/0.9\r\n", .unsupportedVersion),
            ("GET / HTTP/1.10\r\n", .malformedRequestLine),
            ("CONNECT a:1 HTTP/1.1\r\n", .unsupportedMethod),
            ("\r\n\r\n\r\nGET / HTTP/1.1\r\n", .malformedRequestLine),
        ] as [(String, HTTPFault)])
    func requestLines(_ line: String, _ fault: HTTPFault) {
        #expect(Self.fault(line + "Host: a\r\n\r\n") == fault)
    }

    @Test(
        "§3.2: targets that are refused",
        arguments: [
            "*", "example.com:80", "http://", "http://?q", "http:///x", "http://u@h/", "ftp://h/",
            "x",
            "/a b", "/a\u{7f}", "/ä", "/a#f", "/a\\b", "/a\"b", "/%", "/%4", "/%4g", "/%zz",
            "/a?b#c",
            "/a?b\"c", "/a?<", "/a?\u{1}", "/a{b}",
        ])
    func badTargets(_ target: String) {
        let fault = Self.fault("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(fault == .malformedTarget || fault == .malformedRequestLine)
    }

    @Test(
        "§3.2: targets that are taken",
        arguments: [
            ("GET", "/", "/", nil, "a"), ("GET", "//x", "//x", nil, "a"),
            ("GET", "/a%2Fb;c=1@:", "/a%2Fb;c=1@:", nil, "a"), ("GET", "/a?", "/a", "", "a"),
            ("GET", "/a?b?c=%zz&[1]", "/a", "b?c=%zz&[1]", "a"), ("OPTIONS", "*", "*", nil, "a"),
            ("GET", "http://h:81/p?q", "/p", "q", "h:81"), ("GET", "HTTPS://h", "/", nil, "h"),
            ("GET", "http://[::1]?q", "/", "q", "[::1]"),
        ] as [(String, String, String, String?, String)])
    func goodTargets(
        _ method: String, _ target: String, _ path: String, _ query: String?, _ authority: String
    ) {
        let request = "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        let outcome = Self.outcome(request)
        #expect(outcome.progress == .complete)
        #expect(text(outcome.head.path, in: request) == path)
        #expect(text(outcome.head.query, in: request) == query)
        #expect(text(outcome.head.authority, in: request) == authority)
    }

    @Test(
        "§5: field lines that are refused",
        arguments: [
            "X : a", "X\t: a", " X: a", ": a", "X", "X\u{0}: a", "X: a\u{0}", "X: a\rb",
            "X: a\nb: c",
            "X: a\r\n b", "X(: a", "X\u{a0}: a", "X: a\u{7f}", "X: \u{b}a", "X: 12345678\u{1}",
        ])
    func badFields(_ line: String) {
        #expect(Self.fault("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n") == .malformedField)
    }

    @Test("§5: values are trimmed of spaces and tabs, and obs-text passes")
    func goodFields() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\nX:\t b\tü  \r\nY:\r\n\r\n"
        let outcome = Self.outcome(request)
        #expect(outcome.progress == .complete)
        #expect(outcome.fields.map { text($0.name, in: request) } == ["Host", "X", "Y"])
        #expect(outcome.fields.map { text($0.value, in: request) } == ["a", "b\tü", ""])
    }

    @Test(
        "§3.2: Host",
        arguments: [
            ("", .malformedHost), ("Host:\r\n", .malformedHost), ("Host: a, b\r\n", .malformedHost),
            ("Host: a\r\nHost: a\r\n", .malformedHost), ("Host: u@a\r\n", .malformedHost),
            ("Host: a/b\r\n", .malformedHost), ("Host: a:65536\r\n", .malformedHost),
            ("Host: a:8x\r\n", .malformedHost), ("Host: [::1\r\n", .malformedHost),
            ("Host: ä\r\n", .malformedHost), ("Host: a:\r\n", nil),
            ("hOST: a.b-c_d:65535\r\n", nil),
            ("Host: [::1]:80\r\n", nil), ("Host: 127.0.0.1\r\n", nil),
        ] as [(String, HTTPFault?)])
    func host(_ lines: String, _ fault: HTTPFault?) {
        #expect(Self.fault("GET / HTTP/1.1\r\n\(lines)\r\n") == fault)
    }

    @Test(
        "§6: framing",
        arguments: [
            ("Content-Length: 7\r\n", .success(.length(7))),
            ("Content-Length: 007\r\n", .success(.length(7))),
            ("", .success(.none)), ("Transfer-Encoding: ChunkeD\r\n", .success(.chunked)),
            ("Content-Length: 0\r\n", .success(.length(0))),
            ("Content-Length: +7\r\n", .failure(.ambiguousLength)),
            ("Content-Length: -0\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 0x7\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 7,7\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 7 7\r\n", .failure(.ambiguousLength)),
            ("Content-Length:\r\n", .failure(.ambiguousLength)),
            ("Content-Length: \u{ff17}\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 7\r\nContent-Length: 7\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 9223372036854775807\r\n", .success(.length(Int.max))),
            ("Content-Length: 9223372036854775808\r\n", .failure(.bodyTooLarge)),
            ("Content-Length: 18446744073709551623\r\n", .failure(.bodyTooLarge)),
            ("Content-Length: 184467440737095516230x\r\n", .failure(.ambiguousLength)),
            ("Content-Length: 7\r\nTransfer-Encoding: chunked\r\n", .failure(.ambiguousLength)),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                .failure(.ambiguousLength)
            ),
            ("Transfer-Encoding: chunked, chunked\r\n", .failure(.ambiguousLength)),
            ("Transfer-Encoding: gzip, chunked\r\n", .failure(.ambiguousLength)),
            ("Transfer-Encoding:\r\n", .failure(.ambiguousLength)),
            ("Transfer-Encoding: \"chunked\"\r\n", .failure(.ambiguousLength)),
            ("Transfer-Encoding: chun\u{212a}ed\r\n", .failure(.ambiguousLength)),
            ("Transfer-Encoding: identity\r\n", .failure(.unsupportedTransferCoding)),
            ("Transfer-Encoding: xchunked\r\n", .failure(.unsupportedTransferCoding)),
        ] as [(String, Result<RequestHead.Framing, HTTPFault>)])
    func framing(_ lines: String, _ expected: Result<RequestHead.Framing, HTTPFault>) {
        let outcome = Self.outcome("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
        switch expected {
        case .success(let framing):
            #expect(outcome.progress == .complete)
            #expect(outcome.head.framing == framing)
        case .failure(let fault):
            #expect(outcome.progress == .fault(fault))
        }
    }

    @Test("§6.1: no transfer coding in HTTP/1.0")
    func legacyFraming() {
        #expect(
            Self.fault("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == .ambiguousLength)
    }

    @Test(
        "§9.3: whether the connection stays",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.1", "Connection: foo , CLOSE\r\n", false),
            ("HTTP/1.1", "Connection: closed\r\n", true),
            ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
            ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
            ("HTTP/1.0", "Connection: keep-alive, close\r\n", false), ("HTTP/1.9", "", true),
        ])
    func keepAlive(_ version: String, _ lines: String, _ stays: Bool) {
        let outcome = Self.outcome("GET / \(version)\r\nHost: a\r\n\(lines)\r\n")
        #expect(outcome.progress == .complete)
        #expect(outcome.head.keepsAlive == stays)
    }

    @Test(
        "RFC 9110 §10.1.1 and §8.4: expectations and codings",
        arguments: [
            ("Expect: 100-Continue\r\n", nil, true, .identity),
            ("Expect:\r\n", nil, false, .identity),
            ("Expect: 200-ok\r\n", .unknownExpectation, false, .identity),
            ("Content-Encoding: GZip\r\n", nil, false, .gzip),
            ("Content-Encoding: x-gzip\r\n", nil, false, .gzip),
            ("Content-Encoding: gzip, gzip\r\n", nil, false, .unsupported),
            ("Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", nil, false, .unsupported),
            ("Content-Encoding: br\r\n", nil, false, .unsupported),
            ("Content-Type: a/b\r\nContent-Type: a/b\r\n", .repeatedField, false, .identity),
            ("Authorization: a\r\nAuthorization: b\r\n", .repeatedField, false, .identity),
        ] as [(String, HTTPFault?, Bool, RequestHead.ContentCoding)])
    func expectations(
        _ lines: String, _ fault: HTTPFault?, _ expects: Bool, _ coding: RequestHead.ContentCoding
    ) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
        #expect(Self.fault(text) == fault)
        guard fault == nil else { return }
        #expect(Self.outcome(text).head.expectsContinue == expects)
        #expect(Self.outcome(text).head.contentCoding == coding)
    }

    @Test("limits hold at n and fail at n + 1, complete or not")
    func limits() {
        var limits = HTTPLimits()
        limits.requestLineBytes = 30
        limits.fieldBytes = 20
        limits.fieldBlockBytes = 60
        limits.fieldCount = 4
        func result(_ text: String) -> RequestParser.Progress {
            Self.outcome([Array(text.utf8)[...]], limits).progress
        }
        let line = "GET /" + String(repeating: "a", count: 30 - 14) + " HTTP/1.1"
        #expect(result("\(line)\r\nHost: a\r\n\r\n") == .complete)
        #expect(result("\(line)a\r\nHost: a\r\n\r\n") == .fault(.requestLineTooLong))
        #expect(result("GET /" + String(repeating: "a", count: 26)) == .needsMore)
        #expect(result("GET /" + String(repeating: "a", count: 27)) == .fault(.requestLineTooLong))
        let field = "X: " + String(repeating: "a", count: 17)
        #expect(result("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") == .complete)
        #expect(result("GET / HTTP/1.1\r\nHost: a\r\n\(field)a\r\n\r\n") == .fault(.fieldsTooLarge))
        #expect(result("GET / HTTP/1.1\r\nHost: a\r\n\(field)aa") == .fault(.fieldsTooLarge))
        let block = "\(field)\r\n\(field)\r\nY: aaaa\r\n"
        #expect(result("GET / HTTP/1.1\r\nHost: a\r\n\(block)\r\n") == .complete)
        #expect(
            result("GET / HTTP/1.1\r\nHost: ab\r\n\(field)\(block)\r\n") == .fault(.fieldsTooLarge))
        let few = String(repeating: "X: a\r\n", count: 3)
        #expect(result("GET / HTTP/1.1\r\nHost: a\r\n\(few)\r\n") == .complete)
        #expect(
            result("GET / HTTP/1.1\r\nHost: a\r\n\(few)X: a\r\n\r\n") == .fault(.fieldsTooLarge))
    }

    @Test("the battery's heads give the same outcome whole, at every split and byte by byte")
    func splits() throws {
        for row in try Battery().rows {
            let pieces = Splits.of(row.request, every: 150)
            let whole = Self.outcome(pieces[0])
            for split in pieces.dropFirst() where Self.outcome(split) != whole {
                Issue.record("\(row.id) depends on its splits: \(whole.progress)")
                break
            }
        }
    }

    @Test("what follows a head is left alone")
    func stopsAtTheEnd() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Self.outcome(head + "\u{0}\u{1}").head.byteCount == head.utf8.count)
    }

    @Test("a parser that was reset has forgotten the last request")
    func reset() {
        var parser = RequestParser()
        let first = Array("GET /a HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\n".utf8)
        let firstProgress = parser.advance(first.span, limits: HTTPLimits())
        parser.reset()
        let second = Array("GET /b HTTP/1.1\r\nHost: b\r\n\r\n".utf8)
        let secondProgress = parser.advance(second.span, limits: HTTPLimits())
        #expect([firstProgress, secondProgress] == [.complete, .complete])
        #expect(parser.head.framing == .none)
        #expect(parser.head.keepsAlive)
        #expect(parser.fields.count == 1)
    }
}
