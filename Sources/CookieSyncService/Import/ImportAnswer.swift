// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire

/// The answer of an import, written piece by piece: a file of half a million lines has as many results.
struct ImportAnswer: Sendable {
    /// How it is written.
    enum Form: Sendable {
        /// One object.
        case json
        /// A line for each result, and one for the counts (NDJSON).
        case lines
    }

    private let format: CookieFormat
    private let positions: [FileEntry.Position]
    private let outcomes: [ImportOutcome]
    private let form: Form
    private var next = -1

    init(
        _ prepared: PreparedImport, _ outcomes: [ImportOutcome], as form: Form
    ) {
        format = prepared.format
        positions = prepared.positions
        self.outcomes = outcomes
        self.form = form
    }

    /// How many results there are.
    var count: Int { outcomes.count }

    /// Appends the next pieces, until there is no more room.
    ///
    /// - Returns: Whether there is more.
    mutating func write(into bytes: inout [UInt8], room: Int = .max) -> Bool {
        let (end, overflows) = bytes.count.addingReportingOverflow(room)
        if next < 0 {
            if case .json = form { appendHead(to: &bytes) }
            next = 0
        }
        while next < outcomes.count {
            guard overflows || bytes.count < end else { return true }
            appendResult(next, to: &bytes)
            next += 1
        }
        switch form {
        case .json: bytes += Array("]}".utf8)
        case .lines: bytes.appendLine("summary", summary)
        }
        return false
    }

    private func appendHead(to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        writer.beginObject()
        summary.encodeMembers(to: &writer)
        writer.name("results")
        writer.beginArray()
        writer.append(to: &bytes)
    }

    private func appendResult(_ index: Int, to bytes: inout [UInt8]) {
        let entry: ImportResultBody.Entry =
            switch positions[index] {
            case .line(let number): .line(number)
            case .pointer(let pointer): .pointer(pointer)
            }
        let body = ImportResultBody(
            entry: entry, outcome: outcomes[index].name, reason: outcomes[index].reason)
        switch form {
        case .json:
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(body)
        case .lines: bytes.appendLine("result", body)
        }
    }

    private var summary: ImportSummaryBody {
        var counts = [0, 0, 0, 0, 0, 0]
        for outcome in outcomes {
            switch outcome {
            case .stored: counts[0] += 1
            case .replaced: counts[1] += 1
            case .unchanged: counts[2] += 1
            case .deleted: counts[3] += 1
            case .evicted: counts[4] += 1
            case .unreadable, .rejected: counts[5] += 1
            }
        }
        let names: [StaticString] = [
            "stored", "replaced", "unchanged", "deleted", "evicted", "rejected",
        ]
        return ImportSummaryBody(
            format: format.rawValue,
            counts: zip(names, counts).map { (outcome: $0, count: $1) })
    }
}

/// How far an import has come; a line of the answer in NDJSON.
struct ImportProgressBody: AnswerBody {
    /// How many entries were read.
    let entries: Int
    /// How many cookies of them are to be stored.
    let cookies: Int

    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("entries")
        writer.integer(entries)
        writer.name("cookies")
        writer.integer(cookies)
        writer.endObject()
    }
}

extension [UInt8] {
    /// Appends a body.
    mutating func append(_ body: some AnswerBody) {
        var writer = JSONWriter()
        body.encode(to: &writer)
        writer.append(to: &self)
    }

    /// Appends a line of NDJSON: an object with one member.
    mutating func appendLine(_ name: StaticString, _ body: some AnswerBody) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(name)
        body.encode(to: &writer)
        writer.endObject()
        writer.append(to: &self)
        append(UInt8(ascii: "\n"))
    }
}
