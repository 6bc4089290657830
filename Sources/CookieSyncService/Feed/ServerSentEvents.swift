// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import JarStorage

// The format of `text/event-stream` (HTML Living Standard, section 9.2): lines of fields, and a blank line after each
// event. Data here is JSON, in which a line break is always escaped, so one `data` line holds all of it.

/// Events in their order, written once for all that are told of them.
struct EventBatch: Sendable {
    /// Where one ends.
    struct Mark: Sendable {
        /// The revision that it tells of.
        let revision: Revision
        /// Where the next one begins in the bytes.
        let end: Int
    }

    /// What is sent.
    let bytes: [UInt8]
    /// One per event.
    let marks: [Mark]

    /// The changes of a page that pass a filter.
    init(_ changes: [Change], _ filter: FeedFilter) {
        var (bytes, marks) = ([UInt8](), [Mark]())
        for change in changes where filter.passes(change) {
            guard let body = ChangeBody(change, showingValue: filter.showsValues) else { continue }
            bytes.append(contentsOf: "id: ".utf8)
            DecimalDigits.append(change.revision.rawValue, to: &bytes)
            bytes.append(contentsOf: "\nevent: change\ndata: ".utf8)
            var writer = JSONWriter()
            body.encode(to: &writer)
            writer.append(to: &bytes)
            bytes.append(contentsOf: "\n\n".utf8)
            marks.append(Mark(revision: change.revision, end: bytes.count))
        }
        self.bytes = bytes
        self.marks = marks
    }

    /// Where the event with an index begins.
    func start(of index: Int) -> Int { index == 0 ? 0 : marks[index - 1].end }

    /// The index of the first event after a revision.
    ///
    /// Complexity: O(log n).
    func firstIndex(after revision: Revision) -> Int {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = low + (high - low) / 2
            if marks[middle].revision > revision { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// What is in a stream beside events of the jar.
enum StreamNote {
    /// What it begins with: how long a client is to wait before it connects again.
    static let opening = Array("retry: 2000\n\n".utf8)

    /// A sign of life; with a revision, a client that has been told of nothing since goes on from there all the same.
    static func appendHeartbeat(_ revision: Revision?, to output: inout [UInt8]) {
        output.append(contentsOf: ": heartbeat\n".utf8)
        if let revision {
            output.append(contentsOf: "id: ".utf8)
            DecimalDigits.append(revision.rawValue, to: &output)
            output.append(UInt8(ascii: "\n"))
        }
        output.append(UInt8(ascii: "\n"))
    }

    /// The last event: why the stream ends, and from where to go on.
    static func appendEnd(_ reason: FeedEnd, _ revision: Revision, to output: inout [UInt8]) {
        output.append(contentsOf: "id: ".utf8)
        DecimalDigits.append(revision.rawValue, to: &output)
        output.append(contentsOf: "\nevent: end\ndata: ".utf8)
        var writer = JSONWriter()
        StreamEndBody(reason: reason.word, revision: revision.rawValue).encode(to: &writer)
        writer.append(to: &output)
        output.append(contentsOf: "\n\n".utf8)
    }
}
