// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import Foundation
import Testing

@Suite("Archives of property dictionaries")
struct KeyedArchiveTests {
    private static var properties: [String: Any] {
        [
            "Name": "n", "Value": "v", "Domain": ".a.example", "Path": "/", "Secure": "TRUE",
            "Version": 1, "Expires": Date(timeIntervalSince1970: 1_811_808_000),
        ]
    }

    private func entries(_ file: [UInt8]) throws -> [FileEntry] {
        try CookieFileReader.read(file, as: nil, .forTests).entries
    }

    private func archive(_ value: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
    }

    private func list(
        _ value: Any, _ format: PropertyListSerialization.PropertyListFormat = .binary
    ) throws -> [UInt8] {
        Array(
            try PropertyListSerialization.data(
                fromPropertyList: value, format: format, options: 0))
    }

    private func check(_ entries: [FileEntry], at position: FileEntry.Position) throws {
        #expect(entries.map(\.position) == [position])
        let cookie = try #require(entries.first).content.cookie()
        #expect(cookie.name == Array("n".utf8) && cookie.value.bytes == Array("v".utf8))
        #expect(cookie.domain == Array(".a.example".utf8) && cookie.secure)
        #expect(cookie.expires?.seconds == 1_811_808_000 && cookie.legacy?.version == 1)
    }

    @Test("what NSKeyedArchiver writes is read: an array, and one dictionary alone")
    func archives() throws {
        let array = try archive(NSArray(object: NSDictionary(dictionary: Self.properties)))
        try check(try entries(Array(array)), at: .pointer("/0"))
        let one = try archive(NSDictionary(dictionary: Self.properties))
        try check(try entries(Array(one)), at: .pointer(""))
    }

    @Test("an app's settings have them as data, in both forms of property list")
    func settings() throws {
        let array = try archive(NSArray(object: NSDictionary(dictionary: Self.properties)))
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let file = try list(["cookies": array, "launches": 3, "other": Data([1])], format)
            try check(try entries(file), at: .pointer("/cookies/0"))
        }
    }

    /// An archive in XML, as `plutil -convert xml1` writes it.
    private func xml(root: Int, _ objects: String) -> [UInt8] {
        Array(
            """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>\(root)</integer></dict></dict>
            <key>$objects</key><array><string>$null</string>\(objects)</array></dict></plist>
            """.utf8)
    }

    private func array(_ numbers: Int...) -> String {
        let references = numbers.map {
            "<dict><key>CF$UID</key><integer>\($0)</integer></dict>"
        }
        return
            "<dict><key>NS.objects</key><array>\(references.joined())</array></dict>"
    }

    @Test("references to nothing, beyond the table, and in circles end with an error or a fault")
    func damage() throws {
        #expect(try entries(xml(root: 1, array())).isEmpty)
        let null = try entries(xml(root: 1, array(0)))
        #expect(throws: EntryFault.malformedEntry) { try null.first?.content.cookie() }
        for file in [
            xml(root: 9, array()), xml(root: -1, array()), xml(root: 1, array(7)),
            xml(root: 1, array(1)), xml(root: 1, array(2, 2) + array(1, 1)),
        ] {
            #expect(throws: CookieFileError.self) { try entries(file) }
        }
    }

    @Test("objects that share others cost no more than the file has octets")
    func shares() throws {
        // Sixteen steps that each double: 65 536 visits of the last, by less than 4 KiB.
        let steps = (1...16).map { array($0 + 1, $0 + 1) }.joined()
        #expect(throws: CookieFileError.self) {
            try entries(xml(root: 1, steps + "<string>x</string>"))
        }
    }
}
