// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Foundation
import Testing

/// The parsing files of JSONTestSuite, read from where `COOKIESYNC_JSON_SUITE` says; not part of this repository.
private enum Corpus {
    static let folder =
        ProcessInfo.processInfo.environment["COOKIESYNC_JSON_SUITE"]
        ?? "../shared/json/test_parsing"

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    static func names(_ prefix: String) -> [String] { names.filter { $0.hasPrefix(prefix) } }

    static func isTaken(_ name: String) throws -> Bool {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        return (try? JSONDocument(parsing: [UInt8](text))) != nil
    }
}

@Suite("JSONTestSuite", .enabled(if: !Corpus.names.isEmpty, "the suite's files are not here"))
struct JSONTestSuiteTests {
    @Test("the corpus is whole")
    func isWhole() {
        #expect(Corpus.names("y_").count == 95)
        #expect(Corpus.names("n_").count == 188)
        #expect(Corpus.names("i_").count == 35)
    }

    @Test("every file that must be accepted is", arguments: Corpus.names("y_"))
    func accepts(_ name: String) throws {
        #expect(try Corpus.isTaken(name))
    }

    @Test("every file that must be refused is", arguments: Corpus.names("n_"))
    func refuses(_ name: String) throws {
        #expect(try !Corpus.isTaken(name))
    }

    // Numbers of any size are JSON, since no value is computed from them; everything that is not UTF-8, holds a lone
    // surrogate, has a byte order mark or nests too deep is refused.
    @Test("the free files get the verdict that we chose", arguments: Corpus.names("i_"))
    func decides(_ name: String) throws {
        #expect(try Corpus.isTaken(name) == name.hasPrefix("i_number_"))
    }
}
