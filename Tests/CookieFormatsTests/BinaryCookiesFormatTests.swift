// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Testing

@Suite("Cookies.binarycookies")
struct BinaryCookiesFormatTests {
    private func entries(_ file: [UInt8], partial: Bool = false) throws -> [FileEntry] {
        var context = ReadingContext.forTests
        context.takesPartial = partial
        return try CookieFileReader.read(file, as: .binaryCookies, context).entries
    }

    @Test("has what Safari knows of a cookie")
    func contents() throws {
        let entries = try entries(BinaryCookies.sample)
        #expect(entries.map(\.position) == [.pointer("/0/0"), .pointer("/0/1"), .pointer("/1/0")])
        let first = try entries[0].content.cookie()
        #expect(first.domain == Array(".a.example".utf8) && first.secure && first.httpOnly)
        #expect(first.expires?.seconds == 1_811_808_000)
        #expect(first.legacy?.comment == Array("note".utf8))
        let second = try entries[1].content.cookie()
        #expect(second.path == Array("/x".utf8) && second.value.bytes.isEmpty)
        #expect(second.expires == nil && second.legacy?.port == Array("8080".utf8))
    }

    @Test("cut off, it is refused with what could be read, or taken as far as it goes")
    func cut() throws {
        let file = Array(BinaryCookies.sample.prefix(120))
        let error = CookieFileError.notTheFormat(
            detail: "The file is cut off: 1 of at least 3 cookies can be read."
                + " Send `?partial=true` to store them.", offset: nil)
        #expect(throws: error) { try entries(file) }
        let partial = try entries(file, partial: true)
        #expect(try partial[0].content.cookie().name == Array("n".utf8))
        #expect(throws: EntryFault.truncated) { try partial[1].content.cookie() }
        #expect(throws: CookieFileError.self) { try entries(Array("cook".utf8), partial: true) }
    }

    @Test(
        "an offset that does not lie within its cookie costs that cookie alone",
        arguments: [16, 20, 24, 28, 32])
    func offsets(field: Int) throws {
        var file = BinaryCookies.sample
        // The head of two pages, then the first page's head with two offsets.
        let record = 16 + 20
        for value: UInt8 in [0x01, 0xFF] {
            file[record + field] = value
            file[record + field + 3] = value == 0xFF ? 0x7F : 0
            let entries = try entries(file)
            #expect(throws: EntryFault.malformedEntry) { try entries[0].content.cookie() }
            #expect(throws: Never.self) { try entries[1].content.cookie() }
        }
    }

    @Test("an impossible number of pages or cookies, and times that are none")
    func numbers() throws {
        var file = BinaryCookies.sample
        file[4] = 0xFF
        #expect(throws: CookieFileError.self) { try entries(file) }
        file = BinaryCookies.sample
        file[16 + 7] = 0x7F
        #expect(throws: EntryFault.malformedEntry) { try entries(file)[0].content.cookie() }
        let page = [BinaryCookies.Record(texts: ["a", "n", "/", "v"], expires: .nan)]
        #expect(throws: EntryFault.invalidExpiry) {
            try entries(BinaryCookies.file([page]))[0].content.cookie()
        }
    }
}
