// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The raw requests of the battery, for tests that need hostile input and not its verdicts.
struct Battery {
    struct Row {
        let id: String
        let request: [UInt8]
    }

    let rows: [Row]

    static var fixtures: URL { Bundle.module.bundleURL.appending(path: "Fixtures") }

    init() throws {
        struct Entry: Decodable {
            let id: String
            let raw_b64: String
        }
        let data = try Data(contentsOf: Self.fixtures.appending(path: "battery.json"))
        rows = try JSONDecoder().decode([Entry].self, from: data).map { entry in
            let raw = Data(base64Encoded: entry.raw_b64) ?? Data()
            let text = raw.replacing(Data("{{AUTH}}".utf8), with: Data())
                .replacing(Data("{{POST_PATH}}".utf8), with: Data(ServiceLikeHandler.postPath.utf8))
                .replacing(Data("{{TOKEN}}".utf8), with: Data("x".utf8))
            return Row(id: entry.id, request: Array(text))
        }
    }
}
