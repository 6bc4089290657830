// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Testing

@Suite("Files that are cut off or changed")
struct DamagedFileTests {
    private static let formats = Samples.all.indices

    /// The entries, or nil for a file that is refused; the file comes in pieces of a size.
    private func read(
        _ file: [UInt8], as format: CookieFormat?, by size: Int = .max, partial: Bool = true
    ) -> [FileEntry]? {
        var context = ReadingContext.forTests
        context.takesPartial = partial
        var reader = CookieFileReader(as: format, context)
        var rest = file[...]
        do {
            while !rest.isEmpty {
                try reader.take(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            _ = try reader.finish()
            return reader.entries
        } catch {
            return nil
        }
    }

    @Test("a sample is recognised, and read the same in pieces of any size", arguments: formats)
    func pieces(index: Int) throws {
        let (format, file) = Samples.all[index]
        #expect(try CookieFileReader.read(file, as: nil, .forTests).format == format)
        let whole = try #require(read(file, as: format))
        #expect(!whole.isEmpty)
        for size in [1, 2, 3, 7, 64] {
            let positions = read(file, as: format, by: size)?.map(\.position)
            #expect(positions == whole.map(\.position), "\(format) \(size)")
        }
    }

    @Test(
        "a file cut at any octet is refused or read, and never more than the whole",
        arguments: formats)
    func cuts(index: Int) {
        let (format, file) = Samples.all[index]
        let count = read(file, as: format)?.count ?? 0
        for end in file.indices {
            for named in [format, nil] {
                let entries = read(Array(file[..<end]), as: named)
                #expect(entries?.count ?? 0 <= count + 1, "\(format) \(end)")
            }
        }
    }

    @Test("a file with any octet changed is refused or read", arguments: formats)
    func changes(index: Int) {
        let (format, file) = Samples.all[index]
        for place in file.indices {
            for byte: UInt8 in [0x00, 0x01, 0x22, 0x2C, 0x30, 0x3C, 0x5C, 0x7D, 0x7F, 0x80, 0xFF] {
                var changed = file
                changed[place] = byte
                _ = read(changed, as: format)
            }
        }
    }

    @Test(
        "a file of thousands of lines comes in pieces as it does at once, with a line too long to be one"
    )
    func longFile() throws {
        var text = "# HTTP Cookie File\n" + String(repeating: "x", count: 70_000) + "\n"
        for number in 0..<3000 { text += "a.example\tFALSE\t/\tFALSE\t0\tn\(number)\tv\n" }
        let entries = try #require(read(Array(text.utf8), as: nil, by: 4096))
        #expect(entries.count == 3001)
        #expect(entries.first?.position == .line(2))
        #expect(throws: EntryFault.malformedEntry) { try entries.first?.content.cookie() }
        #expect(entries.last?.position == .line(3002))
        #expect(try entries.last?.content.cookie().name == Array("n2999".utf8))
    }

    @Test("what can only be read as a whole is refused beyond 8 MiB")
    func tooLarge() {
        let file = Array("bplist00".utf8) + [UInt8](repeating: 0, count: 8 << 20)
        #expect(throws: CookieFileError.tooLarge(offset: 8 << 20, what: "a file of this format")) {
            try CookieFileReader.read(file, as: nil, .forTests)
        }
    }

    @Test("UTF-16 is named")
    func utf16() {
        #expect(
            throws: CookieFileError.notTheFormat(
                detail: "The file is UTF-16; save it as UTF-8.", offset: nil)
        ) { try CookieFileReader.read([0xFF, 0xFE, 0x23, 0], as: nil, .forTests) }
    }
}
