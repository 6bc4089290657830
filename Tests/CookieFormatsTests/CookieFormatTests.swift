// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Foundation
import Testing

@Suite("The file formats")
struct CookieFormatTests {
    private func entries(_ text: String, as format: CookieFormat?) throws -> [FileEntry] {
        try CookieFileReader.read(Array(text.utf8), as: format, .forTests).entries
    }

    private func detected(_ text: String) -> CookieFormat? {
        try? CookieFileReader.read(Array(text.utf8), as: nil, .forTests).format
    }

    private static let line = "a.example\tFALSE\t/\tFALSE\t0\tn\tv"

    @Test(
        "are told apart by their content",
        arguments: [
            (line, CookieFormat.netscape), ("# Netscape HTTP Cookie File\n", .netscape),
            ("\u{FEFF}# HTTP Cookie File\r\n", .netscape), ("[]", .extension),
            ("\u{FEFF} [ {\"domain\":\"a.example\"}]", .extension),
            (#"{"cookies":[],"origins":[]}"#, .playwright),
            (#"[{"domain":"a.example","expires":-1}]"#, .playwright),
            (#"[{"domain":"a.example","expirationDate":1,"expires":1}]"#, .extension),
            ("", nil), ("<html>\t</html>", nil),
            (#"[{"Name":"a","Domain":"a.example"}]"#, .properties),
            (#"{"log":{"cookies":[]}}"#, nil), (#"{"log":{"pages":[]"#, nil),
            (#"{"cookies":[]}"#, .playwright), (#"{"cookies":1}"#, nil),
            (#"{"url":"u","cookies":[{"domain":"a.example","hostOnly":true}]}"#, .extension),
            (line.replacing("\t", with: " "), .netscape),
            ("# Netscape HTTP Cookie File\r\(line)\r", nil),
            ("[1]", nil), ("a,b\n", nil),
        ] as [(String, CookieFormat?)])
    func detection(text: String, format: CookieFormat?) {
        #expect(detected(text) == format)
    }

    @Test("a file that is another format is told what it looks like")
    func wrongFormat() {
        let error = CookieFileError.notTheFormat(
            detail: "The file has neither the first line of a cookies.txt nor a cookie's line."
                + " It looks like `extension`.", offset: nil)
        #expect(throws: error) { try entries(#"[{"domain":"a"}]"#, as: .netscape) }
        #expect(throws: CookieFileError.self) { try entries("{}", as: .extension) }
        #expect(throws: CookieFileError.self) { try entries("{}", as: .playwright) }
        #expect(throws: CookieFileError.self) { try entries("", as: .netscape) }
    }

    @Test(
        "a file whose entries all are another format's is refused, and one that is nearly the same read",
        arguments: [
            (#"[{"Name":"n","Value":"v","Domain":"a"}]"#, CookieFormat.extension, nil),
            (#"[{"name":"n","value":"v","domain":"a"}]"#, .properties, nil),
            (#"[{"name":"n","value":"v","domain":"a","expirationDate":7}]"#, .playwright, 7),
            (#"[{"name":"n","value":"v","domain":"a","expires":7}]"#, .extension, 7),
            (#"[{"name":"n","value":"v","domain":"a","expiry":7}]"#, .playwright, 7),
        ] as [(String, CookieFormat, Int64?)])
    func otherFormat(text: String, format: CookieFormat, seconds: Int64?) throws {
        guard let seconds else {
            #expect(throws: CookieFileError.self) { try entries(text, as: format) }
            return
        }
        #expect(try entries(text, as: format)[0].content.cookie().expires?.seconds == seconds)
    }

    @Test("JSON that is none is told where, the byte order mark counted")
    func offsets() throws {
        for (text, expected) in [("[{'a':1}]", 2), ("\u{FEFF}[{'a':1}]", 5)] {
            do {
                _ = try entries(text, as: .extension)
                Issue.record("was read")
            } catch CookieFileError.notTheFormat(_, let offset) {
                #expect(offset == expected)
            }
        }
    }

    @Test(
        "a line of a cookies.txt that is no cookie says why",
        arguments: [
            ("a.example\tFALSE\t/\tFALSE\tHm\t1", EntryFault.invalidExpiry),
            ("a.example\tFALSE\t/\tFALSE\t1.\tn\tv", .invalidExpiry),
            ("a.example\tFALSE\t/\tFALSE\t+1\tn\tv", .invalidExpiry),
            ("a.example FALSE / FALSE 0 n v", .spacesForTabs), ("a b c", .malformedEntry),
            ("a.example   FALSE  / FALSE  0   n v", .spacesForTabs),
            ("a.example\tFALSE\t/\tFALSE\t0\tn\tv\tw", .malformedEntry), ("\0\0", .malformedEntry),
            ("\tFALSE\t/\tFALSE\t0\tn\tv", .missingDomain),
            ("a.example\t1\t/\tFALSE\t0\tn\tv", .invalidFlag),
        ])
    func faults(line: String, fault: EntryFault) throws {
        let entries = try entries("# HTTP Cookie File\r\n\r\n# note\r\n\(line)\r\n", as: .netscape)
        #expect(entries.map(\.position) == [.line(4)])
        #expect(throws: fault) { try entries[0].content.cookie() }
    }

    @Test(
        "a line of a cookies.txt in all its spellings",
        arguments: [
            ("0", nil), ("", nil), ("-1", nil), ("-5.5", nil), ("0.9", nil),
            ("1811808000.742", 1_811_808_000),
            ("99999999999999999999999", 9_007_199_254_740), ("1811808000742", 1_811_808_000),
            ("253402300799", 253_402_300_799),
        ] as [(String, Int64?)])
    func spellings(expiry: String, seconds: Int64?) throws {
        let line = "#hTTPonly_.a.example\ttrue\t/p\tTrue\t\(expiry)\tn"
        let cookie = try #require(try entries(line, as: .netscape).first).content.cookie()
        #expect(cookie.expires?.seconds == seconds)
        #expect(cookie.httpOnly && cookie.secure && cookie.hostOnly == false)
        #expect(cookie.value.bytes.isEmpty && cookie.name == Array("n".utf8))
        #expect(cookie.source == .imported)
    }

    @Test(
        "an element of an extension's JSON that is no cookie says why",
        arguments: [
            ("1", EntryFault.malformedEntry), (#"{"name":"n","value":"v"}"#, .missingDomain),
            (#"{"domain":"a","value":"v"}"#, .missingName),
            (#"{"domain":"a","name":"n"}"#, .missingValue),
            (#"{"domain":"a","name":true,"value":"v"}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":1.5}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":9007199254740993}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":"v","secure":2}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":"v","secure":"maybe"}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":"v","sameSite":1}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":"v","partitionKey":[]}"#, .invalidMember),
            (#"{"domain":"a","name":"n","value":"v","expirationDate":"soon"}"#, .invalidExpiry),
            (#"{"domain":"a","name":"n","value":"v","expirationDate":true}"#, .invalidExpiry),
        ])
    func elementFaults(element: String, fault: EntryFault) throws {
        let entries = try entries("[{}, \(element)]", as: .extension)
        #expect(entries.map(\.position) == [.pointer("/0"), .pointer("/1")])
        #expect(throws: fault) { try entries[1].content.cookie() }
    }

    @Test(
        "an extension's JSON says the same with other types",
        arguments: [
            #"{"domain":"a:8443","name":"1","value":"2","secure":true,"hostOnly":true,"session":true}"#,
            #"{"domain":"a","name":1,"value":2,"secure":1,"hostOnly":"TRUE","session":"yes"}"#,
            #"{"domain":"a","name":"1","value":2,"secure":"1","hostOnly":1,"expirationDate":"Session"}"#,
            #"{"domain":"a","name":"1","value":"2","secure":true,"hostOnly":true,"sameSite":"Default","httpOnly":"no"}"#,
        ])
    func otherTypes(element: String) throws {
        let cookie = try #require(try entries("[\(element)]", as: .extension).first)
            .content.cookie()
        #expect(cookie.domain == Array("a".utf8) && cookie.hostOnly == true)
        #expect(cookie.name == Array("1".utf8) && cookie.value.bytes == Array("2".utf8))
        #expect(cookie.secure && !cookie.httpOnly && cookie.sameSite == .unset)
        #expect(cookie.expires == nil)
    }

    @Test("a line of a cookies.txt without a path is for every path")
    func emptyPath() throws {
        let line = "a.example:8080\tFALSE\t\tFALSE\t0\tn\tv"
        let cookie = try #require(try entries(line, as: .netscape).first).content.cookie()
        #expect(cookie.path == Array("/".utf8) && cookie.domain == Array("a.example".utf8))
    }

    @Test(
        "expiries of JSON never trap",
        arguments: [
            ("1e300", 9_007_199_254_740_992), ("-1e999", -9_007_199_254_740_992), ("1.5", 1500),
            ("1811808000606.1", 1_811_808_000_606), ("253402300799", 253_402_300_799_000),
            (#""1811808000.5""#, 1_811_808_000_500), (#""-1""#, nil), (#""0""#, nil),
            ("\"\"", nil), (#""2027-06-01T00:00:00Z""#, 1_811_808_000_000),
        ] as [(String, Int64?)])
    func numbers(text: String, milliseconds: Int64?) throws {
        let file = #"[{"domain":"a","name":"n","value":"v","expirationDate":\#(text)}]"#
        let cookie = try entries(file, as: .extension)[0].content.cookie()
        #expect(cookie.expires?.milliseconds == milliseconds)
    }

    @Test(
        "the domain of a cookies.txt may have wget's port",
        arguments: [
            ("a.example:8443", "a.example"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"),
            ("::1", "::1"), ("a.example:", "a.example:"), ("a.example:x", "a.example:x"),
        ])
    func ports(domain: String, host: String) throws {
        let entry = try entries("\(domain)\tFALSE\t/\tFALSE\t0\tn\tv", as: .netscape).first
        #expect(try entry?.content.cookie().domain == Array(host.utf8))
    }

    @Test(
        "a partition has several names",
        arguments: [
            #"{"topLevelSite":"https://t"}"#, #"{"sourceOrigin":"https://t"}"#, #""https://t""#,
        ])
    func partitions(key: String) throws {
        let file = #"[{"domain":"a","name":"n","value":"v","expires":1,"partitionKey":\#(key)}]"#
        let cookie = try entries(file, as: .playwright)[0].content.cookie()
        #expect(cookie.partitionKey == Array("https://t".utf8))
    }

    @Test("a URL stands for domain and path where they are missing")
    func urls() throws {
        let file =
            #"{"cookies":[{"name":"n","value":"v","url":"https://a.example:8443/x/y"},"#
            + #"{"name":"n","value":"v","domain":".b.example","path":"","url":"https://a.example/x/y"}]}"#
        let cookies = try entries(file, as: .playwright).map { try $0.content.cookie() }
        #expect(cookies.map(\.domain) == ["a.example", ".b.example"].map { Array($0.utf8) })
        #expect(cookies.map(\.hostOnly) == [true, nil])
        #expect(cookies.map(\.path) == ["/x", "/"].map { Array($0.utf8) })
    }

    @Test("the local storage of a Playwright state is named, not taken")
    func origins() throws {
        let file =
            #"{"cookies":[{"name":"n","value":"v","domain":"a","expires":-1}],"origins":[{}]}"#
        let entries = try entries(file, as: nil)
        #expect(entries.map(\.position) == [.pointer("/cookies/0"), .pointer("/origins/0")])
        #expect(try entries[0].content.cookie().expires == nil)
        #expect(throws: EntryFault.localStorage) { try entries[1].content.cookie() }
    }

    @Test("docs/formats.md lists every reason and every attribute, in the order of the code")
    func documentation() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: package.appendingPathComponent("docs/formats.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(
            rows == CookieFormat.allCases.map(\.rawValue) + EntryFault.allCases.map(\.rawValue)
                + LostAttributes.all.map(\.name))
    }
}
