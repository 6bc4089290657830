// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("Members of an object")
struct JSONObjectTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONDocument(parsing: Array(text.utf8)).root.openObject)
    }

    private func number(_ object: JSONObject, _ name: StaticString) throws -> Int? {
        try object[name]?.integer(in: 0...99)
    }

    @Test("are told apart by each octet of their names, of whatever length")
    func names() throws {
        let members = try object(
            #"{"":1,"a":2,"b":3,"abcdefgh":4,"abcdefgi":5,"\#(Self.long)":6,"\#(Self.long)x":7}"#)
        #expect(try number(members, "") == 1)
        #expect(try number(members, "a") == 2)
        #expect(try number(members, "b") == 3)
        #expect(try number(members, "c") == nil)
        #expect(try number(members, "ab") == nil)
        #expect(try number(members, "abcdefgh") == 4)
        #expect(try number(members, "abcdefgi") == 5)
        #expect(try number(members, Self.long) == 6)
        #expect(try number(members, Self.longAndX) == 7)
        #expect(try number(members, Self.longAndY) == nil)
        #expect(try number(try object("{}"), "") == nil)
    }

    // 64 octets: longer than the lengths that are told apart before names are compared.
    private static let long: StaticString =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    private static let longAndX: StaticString =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefx"
    private static let longAndY: StaticString =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefy"

    @Test("are found where they are written with escapes, among others that are not")
    func escapes() throws {
        let members = try object(#"{"x":1,"\u0075rl":2,"na\u006de":3}"#)
        #expect(try number(members, "url") == 2)
        #expect(try number(members, "name") == 3)
        #expect(try number(members, "x") == 1)
        #expect(try number(members, "names") == nil)
    }

    @Test("of the same name: the last one counts")
    func duplicates() throws {
        #expect(try number(try object(#"{"a":1,"b":2,"\u0061":3,"b":4}"#), "a") == 3)
        #expect(try number(try object(#"{"a":1,"b":2,"\u0061":3,"b":4}"#), "b") == 4)
    }

    @Test("that hold others are passed over as a whole")
    func nested() throws {
        let members = try object(#"{"a":{"b":[1,{"c":2}]},"c":[[],{}],"b":5}"#)
        #expect(try number(members, "b") == 5)
        #expect(members["c"]?.isArray == true)
        #expect(members["d"] == nil)
    }
}
