// SPDX-License-Identifier: Apache-2.0

import Cookies
import Foundation
import HostNames
import Testing

@Suite("The public suffix list's file (libpsl)")
struct PublicSuffixFileTests {
    private let path = "/usr/share/publicsuffix/public_suffix_list.dat"

    private func list() throws -> PublicSuffixFile { try PublicSuffixFile(path: path) }

    /// A file of this content that is gone after the body.
    private func withFile(_ content: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/psl-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try body(path)
    }

    @Test("The text and the compiled form load, and the text tells its size and age")
    func loads() throws {
        let text = try list()
        #expect(try #require(text.ruleCount) > 5000)
        #expect(text.modifiedAt > Timestamp(seconds: 1_500_000_000))
        let compiled = try PublicSuffixFile(
            path: "/usr/share/publicsuffix/public_suffix_list.dafsa")
        #expect(compiled.isPublicSuffix(Array("co.uk".utf8)))
    }

    @Test(
        "Public suffixes",
        arguments: [
            ("com", true), ("example.com", false), ("co.uk", true), ("uk", true),
            ("github.io", true), ("me.github.io", false), ("unknown-tld", true),
            ("a.unknown-tld", false), ("foo.ck", true), ("www.ck", false), ("", false),
            (".com", false), ("xn--fiqs8s", true), ("xn--55qx5d.cn", true),
        ])
    func publicSuffixes(name: String, expected: Bool) throws {
        #expect(try list().isPublicSuffix(Array(name.utf8)) == expected)
    }

    @Test(
        "Registrable domains",
        arguments: [
            ("www.example.co.uk", "example.co.uk"), ("example.co.uk", "example.co.uk"),
            ("co.uk", nil), ("a.b.me.github.io", "me.github.io"), ("localhost", nil),
            (".example.com", nil), ("", nil), ("x.city.kobe.jp", "city.kobe.jp"),
            ("shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"),
        ])
    func registrableDomains(name: String, expected: String?) throws {
        let found = try list().registrableDomain(of: Array(name.utf8))
        #expect(found == expected.map { Array($0.utf8) })
    }

    @Test("A NUL does not cut a name short")
    func nul() throws {
        let name = Array("com\0.example.org".utf8)
        #expect(try list().isPublicSuffix(name) == false)
        #expect(try list().registrableDomain(of: name) == nil)
    }

    @Test("A missing file is an error that names it")
    func absent() {
        let path = "/nonexistent/list.dat"
        #expect(throws: PublicSuffixFileError.absent(path: path)) {
            try PublicSuffixFile(path: path)
        }
        #expect(PublicSuffixFileError.absent(path: path).description.contains(path))
    }

    @Test("An empty file, a directory and other text are errors")
    func notALIst() throws {
        try withFile("") { path in
            #expect(throws: PublicSuffixFileError.empty(path: path)) {
                try PublicSuffixFile(path: path)
            }
        }
        let directory = FileManager.default.temporaryDirectory.path
        #expect(throws: PublicSuffixFileError.notASuffixList(path: directory)) {
            try PublicSuffixFile(path: directory)
        }
        let garbage = ["hello world\n", "\u{1}\u{2}\u{3}", "com\nnet\n", ".DAFSA@PSL_0   \n\u{7F}"]
        for text in garbage {
            try withFile(text) { path in
                #expect(throws: PublicSuffixFileError.notASuffixList(path: path)) {
                    try PublicSuffixFile(path: path)
                }
            }
        }
    }

    @Test("A file that may not be read is an error with errno", .enabled(if: getuid() != 0))
    func unreadable() throws {
        try withFile("com\n") { path in
            #expect(chmod(path, 0) == 0)
            #expect(throws: PublicSuffixFileError.unreadable(path: path, errno: EACCES)) {
                try PublicSuffixFile(path: path)
            }
        }
    }

    @Test("Many threads ask at once")
    func concurrent() async throws {
        let list = try list()
        let answers = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let name = Array("h\(number).example.co.uk".utf8)
                    return list.registrableDomain(of: name) == Array("example.co.uk".utf8)
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(answers)
    }
}
