// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Partition keys (CHIPS)")
struct PartitionKeyTests {
    @Test(
        "Canonical sites",
        arguments: [
            ("https://www.top.example:443/x", "https://top.example"),
            ("https://top.example", "https://top.example"),
            ("HTTPS://A.B.Example.CO.UK", "https://example.co.uk"),
            ("http://top.example", "http://top.example"),
            ("wss://top.example", "https://top.example"),
            ("ws://top.example", "http://top.example"),
            ("https://github.io", "https://github.io"),
            ("https://me.github.io", "https://me.github.io"),
            ("https://127.1:8080", "https://127.0.0.1"), ("https://[::1]/", "https://[::1]"),
            ("http://localhost:3000", "http://localhost"),
            ("https://bücher.test", "https://xn--bcher-kva.test"),
            ("top.example", nil), ("", nil), ("null", nil), ("file:///x", nil), ("https://", nil),
        ])
    func canonical(text: String, expected: String?) throws {
        let found = PartitionKey.canonical(Array(text.utf8), rules: try World.rules())
        #expect(found == expected.map { Array($0.utf8) })
        if let found {
            #expect(PartitionKey.canonical(found, rules: try World.rules()) == found)
        }
    }
}
