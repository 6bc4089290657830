// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Foundation
import Testing

@Suite("Property dictionaries")
struct PropertyFormatTests {
    private func entries(_ file: [UInt8]) throws -> [FileEntry] {
        try CookieFileReader.read(file, as: .properties, .forTests).entries
    }

    private func cookie(_ members: String) throws -> FinishedCookie {
        let text = #"[{"Name":"n","Value":"v"\#(members)}]"#
        return try #require(try entries(Array(text.utf8)).first).content.cookie()
    }

    private static let now: Int64 = 1_796_040_000

    @Test(
        "lifetimes",
        arguments: [
            ("", nil), (#","Expires":"2027-06-01T00:00:00Z""#, 1_811_808_000),
            (#","Expires":"2027-06-01 00:00:00 +0000""#, 1_811_808_000),
            (#","Expires":"2027-06-01T02:00:00+0200""#, 1_811_808_000),
            (#","Expires":"2027-06-01""#, 1_811_808_000),
            (#","Expires":"Tue, 01 Jun 2027 00:00:00 GMT""#, 1_811_808_000),
            (#","Expires":1811808000"#, 1_811_808_000),
            (#","Expires":"1811808000""#, 1_811_808_000),
            (#","Expires":"1811808000.5""#, 1_811_808_000), (#","Expires":"-1""#, nil),
            (#","Expires":"0""#, nil),
            (#","Expires":"2027-06-01 12:00:00 AM +0000""#, 1_811_808_000),
            (#","Expires":"2027-06-01 1:00:00 PM +0000""#, 1_811_854_800),
            (#","Expires":"Jun 1, 2027 at 12:00:00\#u{202F}AM""#, 1_811_808_000),
            (#","Expires":"Jun 1, 2027 at 1:00:00 pm""#, 1_811_854_800),
            (#","Expires":"Tue Jun 01 2027 02:00:00 GMT+0200 (CEST)""#, 1_811_808_000),
            (#","Expires":"Mon May 31 17:00:00 -07:00 2027""#, 1_811_808_000),
            (#","Expires":"Mon, 31-May-2027 23:00:00 -0100""#, 1_811_808_000),
            (#","Expires":"Session""#, nil),
            (#","Expires":0"#, nil), (#","Expires":null"#, nil), (#","Expires":"""#, nil),
            (#","Max-Age":"60""#, now + 60), (#","Maximum-Age":60"#, now + 60),
            (#","Max-Age":60,"Expires":1"#, now + 60), (#","Discard":"TRUE","Max-Age":60"#, nil),
            (#","Discard":"NO","Max-Age":60"#, now + 60),
            (#","Max-Age":"1e300""#, now + 1_000_000_000_000_000),
        ] as [(String, Int64?)])
    func lifetimes(members: String, seconds: Int64?) throws {
        #expect(try cookie(#","Domain":"a.example"\#(members)"#).expires?.seconds == seconds)
    }

    @Test(
        "truth values",
        arguments: [
            ("true", true), (#""TRUE""#, true), (#""yes""#, true), ("1", true), (#""1""#, true),
            ("false", false), (#""No""#, false), ("0", false), (#""""#, false), ("null", false),
        ])
    func flags(word: String, expected: Bool) throws {
        let cookie = try cookie(#","Domain":"a.example","Secure":\#(word),"HttpOnly":\#(word)"#)
        #expect(cookie.secure == expected && cookie.httpOnly == expected)
    }

    @Test(
        "where a cookie belongs",
        arguments: [
            (#","Domain":".a.example""#, ".a.example", nil, "/"),
            (#","Domain":"a.example","Path":"/x""#, "a.example", nil, "/x"),
            (#","OriginURL":"https://u@a.example:8443/x/y?z""#, "a.example", true, "/x"),
            (#","OriginURL":"https://[::1]/""#, "[::1]", true, "/"),
            (#","Domain":"a.example:8443""#, "a.example", nil, "/"),
            (#","Domain":"[::1]:80""#, "[::1]", nil, "/"), (#","Domain":"::1""#, "::1", nil, "/"),
            (#","Domain":null,"OriginURL":"https://a.example""#, "a.example", true, "/"),
        ] as [(String, String, Bool?, String)])
    func scope(members: String, domain: String, hostOnly: Bool?, path: String) throws {
        let cookie = try cookie(members)
        #expect(cookie.domain == Array(domain.utf8) && cookie.path == Array(path.utf8))
        #expect(cookie.hostOnly == hostOnly)
    }

    @Test(
        "what is no cookie",
        arguments: [
            ("", EntryFault.missingDomain), (#","Domain":[]"#, .invalidMember),
            (#","Domain":"a","Secure":"maybe""#, .invalidMember),
            (#","Domain":"a","Secure":2"#, .invalidMember),
            (#","Domain":"a","SameSite":1"#, .invalidMember),
            (#","Domain":"a","Port":["80"]"#, .invalidMember),
            (#","Domain":"a","Expires":"soon""#, .invalidExpiry),
            (#","Domain":"a","Max-Age":"soon""#, .invalidExpiry),
            (#","Domain":"a","Version":"-1""#, .invalidMember),
            (#","Domain":"a","Comment":"\u0007""#, .invalidMember),
        ])
    func faults(members: String, fault: EntryFault) throws {
        #expect(throws: fault) { try cookie(members) }
        let other = try entries(Array("[1]".utf8))
        #expect(throws: EntryFault.malformedEntry) { try other.first?.content.cookie() }
    }

    @Test("version, comment, its URL and ports are kept")
    func legacy() throws {
        let cookie = try cookie(
            #","Domain":"a","Version":1,"Comment":"c","CommentURL":"https://a/","Port":[80,443]"#)
        #expect(
            cookie.legacy
                == LegacyAttributes(
                    version: 1, comment: Array("c".utf8), commentURL: Array("https://a/".utf8),
                    port: Array("80,443".utf8)))
    }

    @Test("one dictionary alone, and arrays within one, are read too")
    func shapes() throws {
        let one = try entries(Array(#"{"Name":"n","Value":"v","Domain":"a"}"#.utf8))
        #expect(one.map(\.position) == [.pointer("")])
        let many = try entries(Array(#"{"a/b":[{"Name":"n"}],"x":1}"#.utf8))
        #expect(many.map(\.position) == [.pointer("/a~1b/0")])
        #expect(throws: CookieFileError.self) { try entries(Array(#"{"x":1}"#.utf8)) }
    }

    @Test("both forms of property list say what JSON says", arguments: [0, 1])
    func propertyLists(form: Int) throws {
        let file = Samples.propertyList(form == 0 ? .xml : .binary)
        let cookie = try #require(try entries(file).first).content.cookie()
        #expect(cookie.name == Array("n".utf8) && cookie.value.bytes == Array("é<&>".utf8))
        #expect(cookie.secure && cookie.expires?.seconds == Self.now + 3600)
        #expect(cookie.legacy?.version == 1 && cookie.legacy?.comment?.count == 40)
    }

    @Test(
        "a property list in XML is held to its document type",
        arguments: [
            "<plist><array/></plist>", "\n  <plist><array/></plist>",
            "<plist version='1.0'><!-- c --><array></array></plist>\n",
            "<?xml version=\"1.0\"?><!DOCTYPE plist SYSTEM \"x\"><plist><array/></plist>",
        ])
    func xml(text: String) throws {
        #expect(try entries(Array(text.utf8)).isEmpty)
    }

    @Test(
        "XML that is none of it is refused",
        arguments: [
            "<plist><array></plist>", "<plist><array/></plist>x", "<plist><set/></plist>",
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><array/></plist>", "<plist>",
            "<plist><array><string>&a;</string></array></plist>",
            "<plist><array><date>now</date></array></plist>",
            "<plist>" + String(repeating: "<array>", count: 40),
        ])
    func notXML(text: String) {
        #expect(throws: CookieFileError.self) { try entries(Array(text.utf8)) }
    }
}
