// SPDX-License-Identifier: Apache-2.0

/// Cuts a text that comes in pieces into lines, and hands each over as soon as it is complete.
struct LineReader: EntryReader {
    /// The longest line that is looked at: a cookie and its attributes have at most a few thousand octets.
    static let maximumBytes = 64 << 10

    private let entry: @Sendable (ArraySlice<UInt8>) -> FileEntry.Content?
    private var number = 1
    /// The beginning of a line that has not ended yet.
    private var start: [UInt8] = []
    private var isTooLong = false

    /// A reader of lines.
    ///
    /// - Parameter entry: What a line, its end left out, says; nil for nothing.
    init(_ entry: @escaping @Sendable (ArraySlice<UInt8>) -> FileEntry.Content?) {
        self.entry = entry
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
        if let content = isTooLong ? .fault(.malformedEntry) : entry(line) {
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
