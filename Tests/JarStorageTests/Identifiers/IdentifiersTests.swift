// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Testing

@Suite("Identifiers")
struct IdentifiersTests {
    @Test(
        "tenant names",
        arguments: [
            ("acme", true), ("0", true), ("a.b_c-d", true),
            (String(repeating: "a", count: 63), true),
            (String(repeating: "a", count: 64), false), ("", false), (".a", false), ("-a", false),
            ("_a", false), ("Acme", false), ("a/b", false), ("a b", false), ("café", false),
            ("a\u{0}", false),
        ])
    func tenant(name: String, isValid: Bool) {
        #expect((TenantID(Array(name.utf8)) != nil) == isValid)
    }

    @Test(
        "jar names",
        arguments: [
            ("alice", true), ("A-z0.9_~@:+", true), ("...", true), (".a", true), ("a.", true),
            (String(repeating: "x", count: 128), true), (String(repeating: "x", count: 129), false),
            ("", false), (".", false), ("..", false), ("a/b", false), ("a%", false), ("ü", false),
            ("a\n", false),
        ])
    func jar(name: String, isValid: Bool) {
        #expect((JarID(Array(name.utf8)) != nil) == isValid)
    }

    @Test(
        "store names",
        arguments: [
            ("native", true), (String(repeating: "x", count: 64), true),
            (String(repeating: "x", count: 65), false), ("..", false), ("*", false),
        ])
    func store(name: String, isValid: Bool) {
        #expect((StoreID(Array(name.utf8)) != nil) == isValid)
    }

    @Test("are ordered by their octets and print as text")
    func order() throws {
        let names = ["a", "B", "a.b", "a-b"].compactMap { JarID(Array($0.utf8)) }
        #expect(names.sorted().map(\.description) == ["B", "a", "a-b", "a.b"])
    }
}
