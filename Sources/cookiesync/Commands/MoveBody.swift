// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncWire
internal import Moving

/// What `move` prints.
struct MoveBody: AnswerBody {
    private let report: MoveReport

    init(_ report: MoveReport) { self.report = report }

    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("tenants")
        writer.integer(report.tenants)
        writer.name("jars")
        writer.integer(report.jars)
        writer.name("moved")
        writer.integer(report.moved)
        writer.name("changes")
        writer.integer(report.changes)
        writer.name("tokens")
        writer.integer(report.tokens)
        if let digest = report.digest {
            writer.name("sha256")
            writer.string(Array(digest.description.utf8))
        }
        writer.endObject()
    }
}
