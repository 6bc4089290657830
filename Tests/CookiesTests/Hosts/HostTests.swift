// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

@Suite("Hosts in canonical form")
struct HostTests {
    private func host(_ text: String) -> Host? { Host(Array(text.utf8), names: IDNA()) }

    private func canonical(_ text: String) -> String? {
        host(text).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(
        "Names",
        arguments: [
            ("WWW.Example.COM", "www.example.com"), ("example.com.", "example.com"),
            ("a_b.example", "a_b.example"), ("r3---sn.example", "r3---sn.example"),
            ("-x-.example", "-x-.example"), ("localhost", "localhost"),
            ("bücher.test", "xn--bcher-kva.test"), ("BAN\u{212A}.com", "bank.com"),
            ("1.2.3.com", "1.2.3.com"), ("0xg", "0xg"), ("123abc", "123abc"),
        ])
    func names(text: String, expected: String) throws {
        #expect(canonical(text) == expected)
        #expect(host(text)?.isAddress == false)
    }

    @Test(
        "IPv4 in every notation of the URL standard",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"), ("0x7F000001", "127.0.0.1"), ("017700000001", "127.0.0.1"),
            ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("1.2.3.4.", "1.2.3.4"),
            ("1.65535", "1.0.255.255"),
            ("4294967295", "255.255.255.255"), ("①②⑦.0.0.1", "127.0.0.1"),
            ("192.168.0.257", nil), ("1.2.3", "1.2.0.3"), ("255.255.255.255", "255.255.255.255"),
        ])
    func ipv4(text: String, expected: String?) {
        #expect(canonical(text) == expected)
        #expect(host(text)?.isAddress ?? true)
    }

    @Test(
        "What ends in a number and is no address is no host",
        arguments: [
            "1.2.3.4.5", "256.1.1.1", "4294967296", "99999999999999999999999", "a.1", "a.0x1",
            "foo.192.168.0.10", "1..2", "09", "1.2.3.08", "0x1.2.3.0xg1.5", "a.0x",
        ])
    func endsInNumber(text: String) { #expect(canonical(text) == nil) }

    @Test(
        "IPv6, canonical as RFC 5952",
        arguments: [
            ("[2001:DB8:0:0:0:0:0:1]", "[2001:db8::1]"), ("2001:db8::1", "[2001:db8::1]"),
            ("[::]", "[::]"), ("::1", "[::1]"), ("[1::]", "[1::]"),
            ("[0:0:1:0:0:0:1:0]", "[0:0:1::1:0]"), ("[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]"),
            ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"), ("[::fffe:1.2.3.4]", "[::fffe:102:304]"),
            ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"), ("[0001:0:0:0:0:0:0:0]", "[1::]"),
            ("[::127.0.0.1]", "[::7f00:1]"), ("[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"),
        ])
    func ipv6(text: String, expected: String) {
        #expect(canonical(text) == expected)
        #expect(host(text)?.isAddress == true)
    }

    @Test(
        "What is no IPv6 address",
        arguments: [
            "[]", "[:]", "[1]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[g::]", "[:1::]",
            "[1:2:3:4:5:6:7:8", "[::1]x", "[1:2:3:4:5:6:7:]", "[::1.2.3]", "[::1.2.3.256]",
            "[::01.2.3.4]", "[fe80::1%25eth0]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::1.2.3.4:5]", "::1]",
            "[1::2:3:4:5:6:7:8]", "[:::]", "[::1.2.3.4.]",
        ])
    func notIPv6(text: String) { #expect(canonical(text) == nil) }

    @Test(
        "What is no host",
        arguments: [
            "", ".", "..", "a..b", ".a", "a b", "a\u{0}b", "a%41", "a/b", "a?b", "a#b", "a@b",
            "a\\b", "a^b", "a|b", "a<b", "a>b", "a\u{7F}", "xn--zzz-.com", "\u{AD}.com", "a]", "[a",
        ])
    func notAHost(text: String) { #expect(canonical(text) == nil) }

    @Test("253 octets are a host, 254 are none")
    func length() {
        let label = String(repeating: "a", count: 62) + "."
        let longest = String(repeating: label, count: 4) + "b"
        #expect(longest.utf8.count == 253)
        #expect(canonical(longest) == longest)
        #expect(canonical(longest + "b") == nil)
    }

    @Test(
        "Loopback",
        arguments: [
            ("localhost", true), ("a.b.localhost", true), ("127.255.1.2", true), ("::1", true),
            ("xlocalhost", false), ("localhost.example", false), ("128.0.0.1", false),
            ("::2", false), ("127.example", false), ("LOCALHOST.", true),
        ])
    func loopback(text: String, expected: Bool) throws {
        #expect(try #require(host(text)).isLoopback == expected)
    }
}
