// SPDX-License-Identifier: Apache-2.0

/// Reads a file of cookies that comes in pieces, in the format that it is said to have or that it looks like.
///
/// Lines and the elements of JSON become entries as soon as they are complete; what is held meanwhile does not grow with
/// the file. Property lists, `binarycookies` and what is encrypted are held as a whole, up to 8 MiB, and of a HAR file
/// the lines.
public struct CookieFileReader: Sendable {
    /// What has been read and not been taken away, in the order of the file; for `har`, lines in the order of their
    /// time come after all else.
    public var entries: [FileEntry] = []
    /// The format; nil as long as it is not known.
    public private(set) var format: CookieFormat?
    private let context: ReadingContext
    private var opening: [UInt8] = []
    private var markBytes = 0
    private var reader: (any EntryReader)?
    /// What the file looks like, if that is another format than the one it is said to have.
    private var other: CookieFormat?
    private var faults = 0
    private var isReadable = false

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A reader at the beginning of a file.
    ///
    /// - Parameters:
    ///   - named: The format that the caller says it is; nil finds it out.
    ///   - context: What the reading depends on.
    public init(as named: CookieFormat?, _ context: ReadingContext) {
        format = named
        self.context = context
    }

    /// Reads a file that is there as a whole.
    ///
    /// O(n).
    ///
    /// - Returns: The format, and the entries.
    /// - Throws: When the file as a whole is not the format, or too large.
    public static func read(
        _ file: [UInt8], as named: CookieFormat?, _ context: ReadingContext
    ) throws(CookieFileError) -> (format: CookieFormat, entries: [FileEntry]) {
        var reader = CookieFileReader(as: named, context)
        try reader.take(file[...])
        let format = try reader.finish()
        return (format, reader.entries)
    }

    /// Takes the next piece.
    ///
    /// O(length of the piece).
    ///
    /// - Throws: When the file as a whole is not the format, or too large; nothing more may be taken then.
    public mutating func take(_ piece: ArraySlice<UInt8>) throws(CookieFileError) {
        guard reader == nil else { return try pass(piece) }
        let room = FileOpening.size + Self.mark.count - opening.count
        opening += piece.prefix(room)
        guard opening.count >= FileOpening.size + Self.mark.count else { return }
        try begin(isWhole: false)
        try pass(piece.dropFirst(room))
    }

    /// Says that the file is complete.
    ///
    /// - Returns: The format.
    /// - Throws: As `take`.
    public mutating func finish() throws(CookieFileError) -> CookieFormat {
        if reader == nil { try begin(isWhole: true) }
        let count = entries.count
        do throws(CookieFileError) {
            try reader?.finish(into: &entries)
        } catch {
            throw moved(error)
        }
        note(from: count)
        guard let format else { throw Self.unknown }
        // A file of another format may have the same outline, and not one entry that makes sense.
        guard other == nil || isReadable || faults == 0 else {
            throw moved(
                .notTheFormat(
                    detail: "The file has no cookie as `\(format.rawValue)` has them.",
                    offset: nil))
        }
        return format
    }

    private mutating func begin(isWhole: Bool) throws(CookieFileError) {
        if opening.starts(with: Self.mark) { markBytes = Self.mark.count }
        let start = FileOpening(Array(opening.dropFirst(markBytes)), isWhole: isWhole)
        guard !start.isUTF16 else {
            throw .notTheFormat(detail: "The file is UTF-16; save it as UTF-8.", offset: nil)
        }
        let detected =
            CookieFormat.detect(start)
            ?? (context.url != nil && SetCookieFormat.mayBeBare(start) ? .setCookie : nil)
        guard let format = format ?? detected else { throw Self.unknown }
        self.format = format
        other = detected == format ? nil : detected
        opening = []
        do throws(CookieFileError) {
            reader = try format.reader(start, context)
        } catch {
            throw moved(error)
        }
        try pass(start.bytes[...])
    }

    private mutating func pass(_ piece: ArraySlice<UInt8>) throws(CookieFileError) {
        let count = entries.count
        do throws(CookieFileError) {
            try reader?.take(piece, into: &entries)
        } catch {
            throw moved(error)
        }
        note(from: count)
    }

    /// Notes of a file that looks like another format whether it has an entry that can be read.
    private mutating func note(from count: Int) {
        guard other != nil, !isReadable else { return }
        for entry in entries[count...] {
            if case .fault = entry.content { faults += 1 } else { isReadable = true }
        }
    }

    /// An error with its offset counted from the file's first octet, and a hint at what the file may be.
    private func moved(_ error: CookieFileError) -> CookieFileError {
        switch error {
        case .notTheFormat(let detail, let offset):
            .notTheFormat(
                detail: detail + (other.map { " It looks like `\($0.rawValue)`." } ?? ""),
                offset: offset.map { $0 + markBytes })
        case .tooLarge(let offset, let what): .tooLarge(offset: offset + markBytes, what: what)
        case .needsURL: error
        }
    }

    private static let unknown = CookieFileError.notTheFormat(
        detail: "The file is of no format that is known here.", offset: nil)
}
