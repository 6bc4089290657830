// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("Names of methods")
struct MethodNameTests {
    @Test(
        "are tokens, in capitals where fetch would send them so",
        arguments: [
            ("GET", "GET"), ("get", "GET"), ("Post", "POST"), ("patch", "patch"), ("x-y", "x-y"),
            ("", nil), ("A B", nil), ("GET\r", nil), ("gé", nil),
        ] as [(String, String?)])
    func read(text: String, name: String?) {
        let expected = name.map { Array($0.utf8) }
        #expect(MethodName.read(Array(text.utf8)) == expected)
    }
}
