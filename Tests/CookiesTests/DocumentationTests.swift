// SPDX-License-Identifier: Apache-2.0

import Cookies
import Foundation
import Testing

@Suite("docs/cookies.md")
struct DocumentationTests {
    /// The first cells of the rows of a section's table.
    private func rows(of heading: String) throws -> [String] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: package.appendingPathComponent("docs/cookies.md"), encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix(heading + "\n") })
        return section.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            return line.split(separator: "`").dropFirst().first.map(String.init)
        }
    }

    @Test("Each reason for a refusal has its row, in the order of the code")
    func refusals() throws {
        let documented = try rows(of: "Reasons for a refusal")
        #expect(documented == CookieRejection.allCases.map(\.rawValue))
    }

    @Test("Each reason for not sending has its row, in the order of the code")
    func obstacles() throws {
        let documented = try rows(of: "Reasons for not sending")
        #expect(documented == RetrievalObstacle.allCases.map(\.rawValue))
    }
}
