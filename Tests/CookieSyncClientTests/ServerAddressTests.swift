// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncClient

@Suite("Server addresses")
struct ServerAddressTests {
    @Test(
        "are read part by part",
        arguments: [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, "", "127.0.0.1:8080"),
            ("http://cookies.example/", "cookies.example", 80, "", "cookies.example"),
            ("https://cookies.example", "cookies.example", 443, "", "cookies.example"),
            (
                "https://cookies.example:8443/a/b/", "cookies.example", 8443, "/a/b",
                "cookies.example:8443"
            ),
            ("http://[::1]:81", "::1", 81, "", "[::1]:81"),
            ("http://[::1]", "::1", 80, "", "[::1]"),
        ] as [(String, String, UInt16, String, String)])
    func parts(text: String, host: String, port: UInt16, path: String, authority: String) throws {
        let address = try #require(ServerAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.basePath == path)
        #expect(address.authority == authority)
        #expect(address.isSecure == text.hasPrefix("https"))
    }

    @Test(
        "what is none",
        arguments: [
            "", "cookies.example", "ftp://a", "http://", "http://:80", "http://a:65536",
            "http://a:-1", "http://a:x", "http://a b", "http://user@a", "http://a/?q",
            "http://a/#f",
            "http://[::1", "http://[]:80", "http://[::1]x", "http://é",
        ])
    func none(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}
