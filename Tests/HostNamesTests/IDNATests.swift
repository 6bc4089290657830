// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

@Suite("International names (libidn2)")
struct IDNATests {
    private func ascii(_ name: String) -> String? {
        IDNA().asciiForm(of: Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Names and their A-labels",
        arguments: [
            ("bücher.test", "xn--bcher-kva.test"),
            ("BÜCHER.Test", "xn--bcher-kva.test"),
            ("faß.de", "xn--fa-hia.de"),  // Non-transitional: not fass.de.
            ("βόλος.com", "xn--nxasmm1c.com"),
            ("élève。web-platform.test", "xn--lve-6lad.web-platform.test"),
            ("example．com", "example.com"),
            ("ban\u{212A}.com", "bank.com"),
            ("①②⑦.0.0.1", "127.0.0.1"),
            ("☃.net", "xn--n3h.net"),  // No IDNA 2008 label, but UTS 46 maps it.
            ("xn--n3h.net", "xn--n3h.net"),
            ("💩.la", "xn--ls8h.la"),
            ("I♥NY.com", "xn--iny-zx5a.com"),
            ("r3---sn.ü.de", "r3---sn.xn--tda.de"),
            ("_x.ü.de", "_x.xn--tda.de"),
            ("XN--WGV71A119E.jp", "xn--wgv71a119e.jp"),
            ("日本語.jp", "xn--wgv71a119e.jp"),
            ("ab\u{AD}c.ü.de", "abc.xn--tda.de"),
            ("ü.", "xn--tda."),
        ])
    func asciiForm(name: String, expected: String) {
        #expect(ascii(name) == expected)
    }

    @Test(
        "Names without an ASCII form",
        arguments: [
            "xn--zzz-.com", "xn--.com", "xn--a.com", "a\u{200C}b.com", "١.com", "\u{FDFA}.com",
            "☃ß.com", "ü\0.com",
        ])
    func refused(name: String) {
        #expect(ascii(name) == nil)
    }

    @Test("Octets that are not UTF-8 have no ASCII form")
    func notUTF8() {
        #expect(IDNA().asciiForm(of: [0xFF, 0x2E, 0x63]) == nil)
        #expect(IDNA().asciiForm(of: [0xED, 0xA0, 0x80]) == nil)
        #expect(IDNA().asciiForm(of: [0xC0, 0xAF]) == nil)
    }

    @Test("A label longer than DNS allows is refused")
    func longLabel() {
        #expect(ascii(String(repeating: "ü", count: 200) + ".de") == nil)
    }
}
