// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("Values of a checked JSON text")
struct JSONValueTests {
    private func root(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8)).root
    }

    @Test("a pointer names the way from the root, escaped as RFC 6901 asks")
    func pointers() throws {
        let value = try root(#"{"a":[0,{"b/c":{"~d":[[],[7]]}}],"e":1}"#)
        let members = try value.members()
        #expect(value.pointer.isEmpty)
        #expect(members[1].value.pointer == "/e")
        let second = try members[0].value.elements()[1]
        #expect(second.pointer == "/a/1")
        let inner = try second.members()[0].value.members()[0].value
        #expect(inner.pointer == "/a/1/b~1c/~0d")
        #expect(try inner.elements()[1].elements()[0].pointer == "/a/1/b~1c/~0d/1/0")
    }

    @Test("a very long name is cut in a pointer")
    func longPointers() throws {
        let name = String(repeating: "n", count: 5_000)
        let member = try root("{\"\(name)\":1}").members()[0].value
        #expect(member.pointer.utf8.count == 257)
    }

    @Test("escapes become the bytes they stand for")
    func strings() throws {
        let text = try root(#""\u0000\u00e9\u20AC\uD834\uDD1E\"\\\/\b\f\n\r\t""#).string()
        #expect(text == [0] + Array("é€𝄞\"\\/".utf8) + [8, 12, 10, 13, 9])
    }

    @Test("a name is found however it is spelt")
    func escapedNames() throws {
        let object = try root(#"{"\u0075rl":"x"}"#).object(["url"])
        #expect(try object.required("url").string() == Array("x".utf8))
    }

    @Test("an unknown member is refused by its pointer, in whatever case it comes")
    func unknownMembers() throws {
        for name in ["URL", "url ", "__proto__", "tenant_id", ""] {
            let value = try root("{\"url\":\"x\",\"\(name)\":1}")
            #expect(
                throws: SchemaError(
                    pointer: "/\(name)", detail: "is not a member that is known here")
            ) {
                try value.object(["url"])
            }
        }
    }

    @Test("a value of another type is refused")
    func types() throws {
        for text in ["1", "null", "true", "[]", "{}"] {
            #expect(throws: SchemaError.self) { try root(text).string() }
        }
        for text in ["1", "null", "\"true\"", "[]", "{}"] {
            #expect(throws: SchemaError.self) { try root(text).bool() }
        }
        #expect(throws: SchemaError.self) { try root("{}").elements() }
        #expect(throws: SchemaError.self) { try root("[]").members() }
        #expect(throws: SchemaError.self) { try root("[1,2]").elements(atMost: 1) }
    }

    @Test("canonically equivalent names stay two names")
    func normalForms() throws {
        let members = try root("{\"caf\u{e9}\":1,\"cafe\u{301}\":2}").members()
        #expect(members.count == 2)
        #expect(members[0].name != members[1].name)
    }
}
