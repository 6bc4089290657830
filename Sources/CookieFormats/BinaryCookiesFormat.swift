// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// Cookies.binarycookies, where Safari and iOS apps keep their cookies.
//
// `cook`, then the number of pages and the size of each, highest octet first; the pages one after another; a checksum,
// a mark, and maybe a property list. A page has a mark, the number of its cookies and the offset of each, lowest octet
// first. A cookie has 56 octets: size, version, flags (1 Secure, 4 HttpOnly), whether a port follows, the offsets of
// domain, name, path, value, comment and its URL, and two times in seconds from 2001; then the texts, each ended by
// NUL. Every offset is checked against the cookie's end, and that against the page's.
enum BinaryCookiesFormat: CookieFileFormat {
    /// A number of pages that begins with another octet is an impossible one: the file is a text such as `cookie=1`.
    static func recognises(_ opening: FileOpening) -> Bool {
        opening.begins(with: "cook") && opening.bytes.dropFirst(4).first ?? 0 == 0
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        let takesPartial = context.takesPartial
        return WholeFileReader { file, entries throws(CookieFileError) in
            entries += try BinaryCookiesFile(file).entries(takesPartial: takesPartial)
        }
    }
}

private struct BinaryCookiesFile {
    private let file: [UInt8]
    private let pageSizes: [Int]

    init(_ file: [UInt8]) throws(CookieFileError) {
        guard file.starts(with: "cook".utf8) else {
            throw .notTheFormat(detail: "The file does not begin with `cook`.", offset: 0)
        }
        guard let count = Self.big(file, at: 4) else {
            throw .notTheFormat(
                detail: "The file is cut off within its head: nothing can be read.", offset: nil)
        }
        // A page has at least 16 octets and its size in the head; a file of that many pages would be larger, cut off
        // or not, than any that exists.
        guard count <= 1 << 20 else {
            throw .notTheFormat(detail: "The file has an impossible number of pages.", offset: 4)
        }
        var sizes: [Int] = []
        for index in 0..<count {
            guard let size = Self.big(file, at: 8 + 4 * index) else {
                throw .notTheFormat(
                    detail: "The file is cut off within its head: nothing can be read.",
                    offset: nil)
            }
            sizes.append(size)
        }
        self.file = file
        pageSizes = sizes
    }

    func entries(takesPartial: Bool) throws(CookieFileError) -> [FileEntry] {
        var entries: [FileEntry] = []
        var start = 8 + 4 * pageSizes.count
        var isCut = false
        for (index, size) in pageSizes.enumerated() {
            isCut = isCut || size > file.count - start
            let end = min(start + size, file.count)
            append(page: index, start..<max(start, end), isCut: isCut, to: &entries)
            start = end
        }
        guard isCut, !takesPartial else { return entries }
        let readable = entries.count { entry in
            if case .cookie = entry.content { true } else { false }
        }
        throw .notTheFormat(
            detail: "The file is cut off: \(readable) of at least \(entries.count) cookies can be"
                + " read. Send `?partial=true` to store them.", offset: nil)
    }

    private func append(
        page: Int, _ range: Range<Int>, isCut: Bool, to entries: inout [FileEntry]
    ) {
        let bytes = file[range]
        let missing: EntryFault = isCut ? .truncated : .malformedEntry
        guard let mark = little(bytes, at: 0), let count = little(bytes, at: 4) else {
            return entries.append(
                FileEntry(position: .pointer("/\(page)"), content: .fault(missing)))
        }
        // The mark is 00 00 01 00.
        guard mark == 0x0001_0000, count <= max(bytes.count / 4, isCut ? 1 << 16 : 0) else {
            return entries.append(
                FileEntry(position: .pointer("/\(page)"), content: .fault(.malformedEntry)))
        }
        for index in 0..<count {
            entries.append(
                FileEntry(.pointer("/\(page)/\(index)")) { () throws(EntryFault) in
                    guard let offset = little(bytes, at: 8 + 4 * index) else { throw missing }
                    return try cookie(bytes, at: offset, missing)
                })
        }
    }

    private func cookie(
        _ page: ArraySlice<UInt8>, at offset: Int, _ missing: EntryFault
    ) throws(EntryFault) -> FinishedCookie {
        guard offset <= page.count, let size = little(page, at: offset) else { throw missing }
        guard size >= 56 else { throw .malformedEntry }
        guard size <= page.count - offset else { throw missing }
        let record = page[(page.startIndex + offset)..<(page.startIndex + offset + size)]
        func text(_ field: Int) throws(EntryFault) -> [UInt8]? {
            guard let start = little(record, at: field), start > 0 else { return nil }
            guard start >= 56, start < size,
                let end = record[(record.startIndex + start)...].firstIndex(of: 0)
            else { throw .malformedEntry }
            return Array(record[(record.startIndex + start)..<end])
        }
        guard let domain = try text(16), !domain.isEmpty else { throw .missingDomain }
        guard let name = try text(20) else { throw .missingName }
        guard let value = try text(28) else { throw .missingValue }
        let flags = little(record, at: 8) ?? 0
        let expires = double(record, at: 40)
        guard expires == 0 || Timestamp(appleSeconds: expires) != nil else { throw .invalidExpiry }
        return FinishedCookie(
            name: name, value: value, domain: domain,
            path: try text(24).flatMap { $0.isEmpty ? nil : $0 } ?? Array("/".utf8),
            secure: flags & 1 != 0, httpOnly: flags & 4 != 0,
            expires: expires == 0 ? nil : Timestamp(appleSeconds: expires), source: .imported,
            legacy: LegacyAttributes(
                version: little(record, at: 4).flatMap { $0 == 0 ? nil : UInt8(exactly: $0) },
                comment: try text(32).flatMap(Self.readable),
                commentURL: try text(36).flatMap(Self.readable), port: port(record)))
    }

    private static func readable(_ text: [UInt8]) -> [UInt8]? {
        let isReadable = UTF8Text.isValid(text) && !text.contains { $0 < 0x20 || $0 == 0x7F }
        return isReadable && !text.isEmpty ? text : nil
    }

    /// The port after the fixed part, if the cookie says that there is one.
    private func port(_ record: ArraySlice<UInt8>) -> [UInt8]? {
        guard let hasPort = little(record, at: 12), hasPort != 0, record.count >= 58 else {
            return nil
        }
        let start = record.startIndex + 56
        return Array("\(Int(record[start]) | Int(record[start + 1]) << 8)".utf8)
    }

    private static func big(_ bytes: [UInt8], at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        let start = bytes.startIndex + offset
        return bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of eight octets; 0 outside, which the caller has ruled out.
    private func double(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Double {
        guard offset >= 0, offset <= bytes.count - 8 else { return 0 }
        let start = bytes.startIndex + offset
        return Double(
            bitPattern: bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}
