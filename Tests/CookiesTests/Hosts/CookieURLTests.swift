// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

@Suite("URLs as the URL standard reads them")
struct CookieURLTests {
    @Test(
        "Parts",
        arguments: [
            ("http://example.com", "http|example.com|80|/"),
            ("HTTPS://Example.COM:443/A", "https|example.com|443|/A"),
            ("wss://example.com/s?x#y", "wss|example.com|443|/s"),
            ("ws://example.com:8080", "ws|example.com|8080|/"),
            ("http://user:p@ss@example.com:81/x", "http|example.com|81|/x"),
            ("http://example.com:/", "http|example.com|80|/"),
            ("http://example.com?q=/x", "http|example.com|80|/"),
            ("http://example.com#/x", "http|example.com|80|/"),
            ("http:example.com/x", "http|example.com|80|/x"),
            ("http:////example.com/x", "http|example.com|80|/x"),
            ("http:\\\\example.com\\a\\b", "http|example.com|80|/a/b"),
            ("http://127.0.0.1\\@x.com/", "http|127.0.0.1|80|/@x.com/"),
            ("http://[::1]:3000/a", "http|[::1]|3000|/a"),
            ("http://[2001:DB8::1]", "http|[2001:db8::1]|80|/"),
            ("http://0x7f.1/", "http|127.0.0.1|80|/"),
            ("http://ex%61mple.com/", "http|example.com|80|/"),
            ("http://b%C3%BCcher.test/", "http|xn--bcher-kva.test|80|/"),
            ("http://bücher.test/", "http|xn--bcher-kva.test|80|/"),
            (" \t http://example.com/a b \n", "http|example.com|80|/a%20b"),
            ("ht\ntp://exa\tmple.com/a\r\nb", "http|example.com|80|/ab"),
            ("http://example.com./", "http|example.com|80|/"),
            ("http://example.com:65535/", "http|example.com|65535|/"),
            ("http://example.com:000080/", "http|example.com|80|/"),
        ])
    func parts(text: String, expected: String) throws {
        let url = try World.url(text)
        let host = String(decoding: url.host.bytes, as: UTF8.self)
        let path = String(decoding: url.path, as: UTF8.self)
        #expect("\(url.scheme.rawValue)|\(host)|\(url.port)|\(path)" == expected)
    }

    @Test(
        "The path is the one that would be requested",
        arguments: [
            ("/a/../b", "/b"), ("/a/./b", "/a/b"), ("/a/..", "/"), ("/a/.", "/a/"),
            ("/../../x", "/x"), ("/a/%2e%2E/b", "/b"), ("/a/.%2e", "/"), ("/%2e/x", "/x"),
            ("/a//b", "/a//b"), ("/a/...", "/a/..."), ("/.a/b.", "/.a/b."), ("/%61", "/%61"),
            ("/ä", "/%C3%A4"), ("/a b\"<>`{}^", "/a%20b%22%3C%3E%60%7B%7D%5E"),
            ("/a|[]'~!$&()*+,;=:@", "/a|[]'~!$&()*+,;=:@"), ("/a%zz", "/a%zz"), ("/a\\..\\b", "/b"),
            ("//", "//"), ("/a/../..//b", "//b"), ("/\u{7F}", "/%7F"),
        ])
    func paths(path: String, expected: String) throws {
        let url = try World.url("https://example.com" + path)
        #expect(String(decoding: url.path, as: UTF8.self) == expected)
    }

    @Test(
        "What is no URL for cookies",
        arguments: [
            ("ftp://example.com/", CookieURLError.unsupportedScheme),
            ("file:///x", .unsupportedScheme), ("data:,x", .unsupportedScheme),
            ("httpss://example.com", .unsupportedScheme), ("example.com/x", .malformed),
            ("//example.com", .malformed), ("", .malformed), (":", .malformed),
            ("1http://x", .malformed), ("/x:y", .malformed), ("http://", .invalidHost),
            ("http://:80/", .invalidHost), ("http:///", .invalidHost), ("http://a@/", .invalidHost),
            ("http://a b/", .invalidHost), ("http://a%00b/", .invalidHost),
            ("http://www.fancy.192.168.0.10", .invalidHost), ("http://::1/", .invalidHost),
            ("http://[::1/", .invalidHost), ("http://example.com:65536/", .malformed),
            ("http://example.com:8a/", .malformed), ("http://example.com:+80/", .malformed),
            ("http://example.com:80:90/", .malformed), ("http://a%zz/", .invalidHost),
            ("http://%FF/", .invalidHost), ("http://a..b/", .invalidHost),
        ])
    func refused(text: String, expected: CookieURLError) {
        #expect(throws: expected) { try World.url(text) }
    }
}
