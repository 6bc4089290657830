// SPDX-License-Identifier: Apache-2.0

/// What one file format does; each has a file of its own, and a case in `CookieFormat`.
protocol CookieFileFormat {
    /// Whether a file looks like this format.
    static func recognises(_ opening: FileOpening) -> Bool

    /// A reader for a file that begins so.
    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader
}

/// Reads a file that comes in pieces.
///
/// An entry that cannot be a cookie is one that says why; only a file that is not the format at all is an error.
protocol EntryReader: Sendable {
    /// Takes the next piece, its byte order mark left out, and appends the entries that are complete.
    mutating func take(
        _ piece: ArraySlice<UInt8>, into entries: inout [FileEntry]
    ) throws(CookieFileError)

    /// Says that the file is complete, and appends what has been waiting for that.
    mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError)
}

/// A reader for what can only be read as a whole: it holds the file, and no more than `maximumBytes` of it.
struct WholeFileReader: EntryReader {
    /// The largest file that is held as a whole.
    static let maximumBytes = 8 << 20

    private var file: [UInt8] = []
    private let read: @Sendable ([UInt8], inout [FileEntry]) throws(CookieFileError) -> Void

    /// A reader that hands the file over once it is complete.
    init(
        _ read: @escaping @Sendable ([UInt8], inout [FileEntry]) throws(CookieFileError) -> Void
    ) {
        self.read = read
    }

    mutating func take(
        _ piece: ArraySlice<UInt8>, into entries: inout [FileEntry]
    ) throws(CookieFileError) {
        guard file.count + piece.count <= Self.maximumBytes else {
            throw .tooLarge(offset: Self.maximumBytes, what: "a file of this format")
        }
        file += piece
    }

    mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError) {
        try read(file, &entries)
    }
}
