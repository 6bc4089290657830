// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

@Suite("URLs of requests")
struct RequestURLTests {
    private static func url(_ text: String) throws(CookieURLError) -> RequestURL {
        try RequestURL(parsing: Array(text.utf8), names: IDNA())
    }

    private static func text(_ url: RequestURL) -> String {
        String(decoding: url.text, as: UTF8.self)
    }

    @Test(
        "are written in one form, which reads back as the same",
        arguments: [
            ("https://www.example.com", "https://www.example.com/"),
            ("HTTPS://WWW.Example.COM:443/a/../b?q#f", "https://www.example.com/b?q#f"),
            ("http://example.com:8080/?", "http://example.com:8080/?"),
            ("https://u:p@example.com/", "https://u:p@example.com/"),
            ("https://u@x:p/y@example.com/", nil),
            ("https://u@x:p;@example.com/", "https://u%40x:p%3B@example.com/"),
            ("https://@example.com/", "https://example.com/"),
            ("https://:@example.com/", "https://example.com/"),
            ("https://:p@example.com/", "https://:p@example.com/"),
            (
                "https://example.com/a b?c d'\"<>`#e f`",
                "https://example.com/a%20b?c%20d%27%22%3C%3E`#e%20f%60"
            ),
            ("https://example.com/?ä#ö", "https://example.com/?%C3%A4#%C3%B6"),
            ("https://example.com?a=b/../c#d?e#f", "https://example.com/?a=b/../c#d?e#f"),
            ("https:\\\\example.com\\a", "https://example.com/a"),
            ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ] as [(String, String?)])
    func canonical(text: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: CookieURLError.self) { try Self.url(text) }
            return
        }
        let url = try Self.url(text)
        #expect(Self.text(url) == expected)
        #expect(try Self.url(expected) == url)
    }

    private static let base = "http://u:p@a.example:81/b/c/d;p?q#g"

    /// The examples of RFC 3986 sections 5.4.1 and 5.4.2, in so far as they are about http, with what the URL
    /// standard makes of them, and what only the URL standard knows.
    private static let references: [(String, String)] = [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
        ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q#s"), ("g#s", "/b/c/g#s"), ("g?y#s", "/b/c/g?y#s"),
        (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"), ("g;x?y#s", "/b/c/g;x?y#s"), ("", "/b/c/d;p?q"),
        (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
        ("../..", "/"), ("../../", "/"), ("../../g", "/g"),
        ("../../../g", "/g"), ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"),
        ("g.", "/b/c/g."), (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"),
        ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"),
        ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g#s/../x"), ("http:g", "/b/c/g"),
        ("http:", "/b/c/d;p?q"), ("HTTP:?y", "/b/c/d;p?y"), ("\\g", "/g"), ("%2e%2E/g", "/b/g"),
        (" g\t", "/b/c/g"), ("g:h/..", "g:h/.."), ("1:2", "/b/c/1:2"), (":80", "/b/c/:80"),
    ]

    @Test("references without an authority keep the base's", arguments: references)
    func relative(reference: String, expected: String) throws {
        let base = try Self.url(Self.base)
        guard expected.hasPrefix("/") else {
            #expect(throws: CookieURLError.unsupportedScheme) {
                try base.resolving(Array(reference.utf8), names: IDNA())
            }
            return
        }
        let found = try base.resolving(Array(reference.utf8), names: IDNA())
        #expect(Self.text(found) == "http://u:p@a.example:81" + expected)
    }

    @Test(
        "references with an authority keep nothing but the scheme",
        arguments: [
            ("//g", "http://g/"), ("\\/g/x", "http://g/x"), ("///g?y", "http://g/?y"),
            ("//u@g:82", "http://u@g:82/"), ("http://g", "http://g/"), ("http:/g", "http://g/"),
            ("https:g", "https://g/"), ("https:/g", "https://g/"), ("ws://g/", "ws://g/"),
        ])
    func absolute(reference: String, expected: String) throws {
        let found = try Self.url(Self.base).resolving(Array(reference.utf8), names: IDNA())
        #expect(Self.text(found) == expected)
    }

    @Test(
        "what cannot be resolved says why",
        arguments: [
            ("//", CookieURLError.invalidHost), ("http://", .invalidHost), ("//a b/", .invalidHost),
            ("//g:x/", .malformed), ("mailto:a@b", .unsupportedScheme),
            ("javascript:alert(1)", .unsupportedScheme), ("//1.2.3.4.5/", .invalidHost),
        ])
    func unusable(reference: String, error: CookieURLError) throws {
        let base = try Self.url(Self.base)
        #expect(throws: error) { try base.resolving(Array(reference.utf8), names: IDNA()) }
    }

    @Test("origins are scheme, host and port")
    func origins() throws {
        let url = try Self.url("https://example.com/a?b#c")
        for (text, isSame) in [
            ("https://example.com:443/", true), ("https://u@EXAMPLE.com", true),
            ("http://example.com/", false), ("https://example.com:444/", false),
            ("https://www.example.com/", false),
        ] {
            #expect(try url.hasSameOrigin(as: Self.url(text)) == isSame, "\(text)")
        }
    }
}
