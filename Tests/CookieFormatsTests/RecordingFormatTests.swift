// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Testing

@Suite("HAR recordings, and the data of CookieCloud")
struct RecordingFormatTests {
    private func entries(_ text: String) throws -> [FileEntry] {
        try CookieFileReader.read(Array(text.utf8), as: nil, .forTests).entries
    }

    private func lines(_ response: String) throws -> [String] {
        let file =
            #"{"log":{"entries":[{"startedDateTime":"2026-11-30T12:00:00Z","request":{"url":"https://www.a.example/"},"response":"#
            + response + "}]}}"
        return try entries(file).map { entry in
            switch entry.content {
            case .response(let recorded): String(decoding: recorded.line, as: UTF8.self)
            case .fault(let fault): fault.rawValue
            case .cookie: "cookie"
            }
        }
    }

    @Test(
        "the fields of a response come before its list, split where several were joined",
        arguments: [
            (
                #"{"headers":[{"name":"set-cookie","value":"a=1\nb=2"}],"cookies":[{"name":"x","value":"y"}]}"#,
                ["a=1", "b=2"]
            ),
            (
                #"{"headers":[{"name":"Set-Cookie","value":"a=1; Path=/, b=2"}],"cookies":[{},{}]}"#,
                ["a=1; Path=/", "b=2"]
            ),
            (
                #"{"headers":[{"name":"Set-Cookie","value":"a=1, b=2"}],"cookies":[{}]}"#,
                ["a=1, b=2"]
            ),
            (#"{"headers":[{"name":"Set-Cookie","value":""}]}"#, [""]),
            (#"{"headers":[{"name":"Cookie","value":"a=1"}]}"#, []), ("{}", []), ("1", []),
        ] as [(String, [String])])
    func fields(response: String, expected: [String]) throws {
        #expect(try lines(response) == expected)
    }

    @Test(
        "a listed cookie says what it has",
        arguments: [
            (#""expires":null"#, "n=v"), (#""expires":"""#, "n=v"),
            (#""expires":"Session""#, "n=v"),
            (#""expires":"0001-01-01T00:00:00.0000000-08:00""#, "n=v"),
            (#""expires":"1969-12-31T23:59:59.000Z""#, "n=v"), (#""expires":-1"#, "n=v"),
            (
                #""expires":"2027-06-01T00:00:00.000Z""#,
                "n=v; Expires=Tue, 01 Jun 2027 00:00:00 GMT"
            ),
            (
                #""expires":"Tue, 29 Feb 2028 10:00:00 GMT""#,
                "n=v; Expires=Tue, 29 Feb 2028 10:00:00 GMT"
            ),
            (
                #""expires":"292269009-11-24T08:44:55.386-05:00""#,
                "n=v; Expires=Fri, 31 Dec 9999 23:59:59 GMT"
            ),
            (#""expires":"soon""#, "invalid-expiry"), (#""expires":"0""#, "n=v"),
            (#""domain":"www.a.example","path":"/x""#, "n=v; Path=/x"),
            (#""domain":".a.example""#, "n=v; Domain=.a.example"),
            (
                #""secure":true,"httpOnly":true,"sameSite":"None""#,
                "n=v; Secure; HttpOnly; SameSite=None"
            ),
            (#""path":"/;x""#, "invalid-member"), (#""secure":"maybe""#, "invalid-member"),
            (#""secure":"yes""#, "n=v; Secure"),
        ])
    func listed(members: String, expected: String) throws {
        #expect(try lines(#"{"cookies":[{"name":"n","value":"v",\#(members)}]}"#) == [expected])
    }

    @Test("what is no recording, and a response without a URL")
    func faults() throws {
        for text in [#"{"log":{"entries":5}}"#, #"{"cookie_data":[]}"#] {
            #expect(throws: CookieFileError.self) { try entries(text) }
        }
        let lone = try entries(
            #"{"log":{"entries":[{"response":{"cookies":[{"name":"n","value":"v"}]}}]}}"#)
        #expect(throws: EntryFault.invalidURL) { try lone.first?.content.cookie() }
    }

    @Test("cookies by domain, with or without a name for all of them")
    func clouds() throws {
        let list = #"{"a/b":[{"domain":"a.example","name":"n","value":"v"}],"c":[]}"#
        let inside = try entries(#"{"cookie_data":\#(list),"local_storage_data":{"x":{}}}"#)
        #expect(
            inside.map(\.position) == [
                .pointer("/cookie_data/a~1b/0"), .pointer("/local_storage_data/x"),
            ])
        #expect(try entries(list).map(\.position) == [.pointer("/a~1b/0")])
        #expect(throws: CookieFileError.self) { try entries(#"{"encrypted":"!"}"#) }
    }

    @Test(
        "contents of any size and number are passed over, and the parts of an entry come in any order"
    )
    func largeContent() throws {
        let text = String(repeating: "x", count: 1 << 20)
        let content = #"{"list":["\#([text, text, text, text, text].joined(separator: "\",\""))"]}"#
        let found = try entries(
            #"{"log":{"entries":[null,{"response":{"content":\#(content),"headers":[{"name":"Set-Cookie","#
                + #""value":"a=1"}]},"request":{"url":"https://a.example/","cookies":[{}]},"#
                + #""startedDateTime":"2026-11-30T12:00:00Z"},{"request":{"url":"https://b.example/"},"#
                + #""response":{"headers":[{"name":"Set-Cookie","value":"b=1"}]}}]}}"#)
        #expect(
            found.map(\.position) == [
                .pointer("/log/entries/1/request/cookies/0"),
                .pointer("/log/entries/1/response/headers/0"),
                .pointer("/log/entries/2/response/headers/0"),
            ])
        guard case .response(let line) = found[1].content else { throw EntryFault.malformedEntry }
        #expect(line.url == Array("https://a.example/".utf8))
        #expect(line.time == ReadingContext.forTests.now)
    }

    @Test("a recording with pages before its entries, and half a character in a content")
    func cutContent() throws {
        let page = #"{"title":"\#(String(repeating: "x", count: 200))"},"#
        let pages = String(repeating: page, count: 400) + "{}"
        let found = try entries(
            #"{"log":{"pages":[\#(pages)],"entries":[{"request":{"url":"https://a.example/"},"#
                + #""response":{"headers":[{"name":"Set-Cookie","value":"a=1"}],"#
                + #""content":{"text":"x\ud83d"}}}]}}"#)
        #expect(found.map(\.position) == [.pointer("/log/entries/0/response/headers/0")])
    }

    @Test(
        "of what was pasted with Set-Cookie lines, only they are taken",
        arguments: [
            ("HTTP/2 200\r\nset-cookie: a=1\r\n\r\n<p>\nSet-Cookie: x=1\nb=2\n", [2]),
            ("HTTP/1.1 302 Found\nSet-Cookie: a=1\n\nHTTP/1.1 200 OK\nSet-Cookie: b=2", [2, 5]),
            (":status: 200\nserver: x\nset-cookie: a=1\n", [3]),
            (
                "* Connected\n> GET / HTTP/1.1\n> Cookie: x=1\n>\n< HTTP/1.1 200 OK\n"
                    + "< Set-Cookie: a=1\n< \n{ [5 bytes data]\nx=y\n", [6]
            ),
            ("Set-Cookie: a=1\n\nSet-Cookie: b=2\n", [1, 3]), ("Set-Cookie: a=1\nb=2\n", [1, 2]),
            ("Date: x\nSet-Cookie: a=1\n\nx=y\nDate: x\nSet-Cookie: b=2\n", [2, 6]),
            ("# note\nSet-Cookie: a=1\n", [2]),
        ])
    func pasted(text: String, lines: [Int]) throws {
        #expect(try entries(text).map(\.position) == lines.map { .line($0) })
    }

    @Test("lines are told from a cookies.txt and from Cookies.binarycookies")
    func notLines() throws {
        #expect(try entries("cookie=1; Path=/\n").map(\.position) == [.line(1)])
        let table = Array("a.example\tFALSE\t/\tFALSE\t0\tn\tv\n".utf8)
        #expect(throws: CookieFileError.self) {
            try CookieFileReader.read(table, as: .setCookie, .forTests)
        }
    }

    @Test("lines without the field's name are known by the URL that comes with them")
    func bareLines() throws {
        let text = Array("a=1; Path=/\n".utf8)
        #expect(try CookieFileReader.read(text, as: nil, .forTests).format == .setCookie)
        let without = ReadingContext(now: ReadingContext.forTests.now)
        #expect(throws: CookieFileError.self) { try CookieFileReader.read(text, as: nil, without) }
        #expect(throws: CookieFileError.needsURL) {
            try CookieFileReader.read(text, as: .setCookie, without)
        }
    }
}
