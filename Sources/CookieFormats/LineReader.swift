// SPDX-License-Identifier: Apache-2.0

/// What the lines of a text say.
protocol LineFormat: Sendable {
    /// What the next line, its end left out, says; nil for nothing.
    mutating func content(of line: ArraySlice<UInt8>) -> FileEntry.Content?
}

/// Cuts a text that comes in pieces into lines, and hands each over as soon as it is complete.
struct LineReader<Lines: LineFormat>: EntryReader {
    /// The longest line that is looked at: a cookie and its attributes have at most a few thousand octets.
    private static var maximumBytes: Int { 64 << 10 }

    private var lines: Lines
    private var number = 1
    /// The beginning of a line that has not ended yet.
    private var start: [UInt8] = []
    private var isTooLong = false

    /// A reader of lines.
    init(_ lines: Lines) {
        self.lines = lines
    }

    mutating func take(
        _ piece: ArraySlice<UInt8>, into entries: inout [FileEntry]
    ) throws(CookieFileError) {
        var rest = piece
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if start.isEmpty, !isTooLong, end - rest.startIndex <= Self.maximumBytes {
                endLine(rest[..<end], into: &entries)
            } else {
                hold(rest[..<end])
                endLine(start[...], into: &entries)
            }
            rest = rest[(end + 1)...]
        }
        hold(rest)
    }

    mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError) {
        if !start.isEmpty || isTooLong { endLine(start[...], into: &entries) }
    }

    private mutating func hold(_ part: ArraySlice<UInt8>) {
        guard !isTooLong, start.count + part.count <= Self.maximumBytes else {
            start = []
            isTooLong = true
            return
        }
        start += part
    }

    private mutating func endLine(_ line: ArraySlice<UInt8>, into entries: inout [FileEntry]) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if let content = isTooLong ? .fault(.malformedEntry) : lines.content(of: line) {
            entries.append(FileEntry(position: .line(number), content: content))
        }
        number += 1
        isTooLong = false
        start.removeAll(keepingCapacity: true)
    }
}

/// The lines of a text that is there as a whole.
func forEachLine(of text: [UInt8], _ body: (ArraySlice<UInt8>) -> Bool) {
    var start = 0
    while start < text.count {
        let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        let hasReturn = end > start && text[end - 1] == UInt8(ascii: "\r")
        guard body(text[start..<(hasReturn ? end - 1 : end)]) else { return }
        start = end + 1
    }
}
