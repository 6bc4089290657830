// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Foundation

/// A small file of each format, for the tests that cut and change them.
enum Samples {
    static let all: [(format: CookieFormat, file: [UInt8])] = [
        (.netscape, Array(netscape.utf8)), (.setCookie, Array(lines.utf8)),
        (.properties, Array(properties.utf8)), (.properties, propertyList(.xml)),
        (.properties, propertyList(.binary)), (.extension, Array(array.utf8)),
        (.playwright, Array(#"{"cookies":\#(array),"origins":[{}]}"#.utf8)),
        (
            .cookieCloud,
            Array(#"{"cookie_data":{"a.example":\#(array)},"local_storage_data":{"x":{}}}"#.utf8)
        ),
        (.har, Array(recording.utf8)), (.binaryCookies, BinaryCookies.sample),
    ]

    static let netscape =
        "# Netscape HTTP Cookie File\r\n#HttpOnly_.a.example\tTRUE\t/\tTRUE\t1811808000.5\tn\tv\r\nb\tFALSE\t/\tFALSE\t0\tm\n"
    static let lines =
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/; Secure\r\nb=2; Expires=Tue, 01 Jun 2027 00:00:00 GMT\n"
    static let properties =
        #"[{"Name":"n","Value":"v","Domain":".a.example","Secure":"YES","Expires":"2027-06-01T00:00:00Z","Port":[80]}]"#
    static let array =
        #"[{"domain":".a.example","name":"n","value":"v\u00e9","expirationDate":1811808000.5,"sameSite":"Lax"},{"name":1}]"#
    static let recording = #"""
        {"log":{"entries":[{"startedDateTime":"2026-11-30T12:00:00.1+01:00","request":{"url":"https://a.example/",
        "cookies":[{}]},"response":{"headers":[{"name":"Set-Cookie","value":"a=1\nb=2, c=3"}],"cookies":[1,2,3]}}]}}
        """#

    static func propertyList(_ format: PropertyListSerialization.PropertyListFormat) -> [UInt8] {
        let list: [[String: Any]] = [
            [
                "Name": "n", "Value": "é<&>", "Domain": "a.example", "Path": "/", "Secure": true,
                "Expires": Date(timeIntervalSince1970: 1_811_808_000), "Version": 1,
                "Max-Age": 3600.5, "Comment": String(repeating: "c", count: 40),
            ]
        ]
        let data = try? PropertyListSerialization.data(
            fromPropertyList: list, format: format, options: 0)
        return data.map(Array.init) ?? []
    }
}

/// Writes Cookies.binarycookies.
enum BinaryCookies {
    /// A cookie's texts, in the order of their offsets: domain, name, path, value, comment.
    struct Record {
        var texts: [String]
        var flags: UInt32 = 0
        var expires = 0.0
        var port: UInt16?
    }

    static let sample = file([
        [
            Record(texts: [".a.example", "n", "/", "v", "note"], flags: 5, expires: 833_500_800),
            Record(texts: ["b.example", "m", "/x", ""], port: 8080),
        ], [Record(texts: ["c.example", "old", "/", "v"], expires: 10)],
    ])

    static func file(_ pages: [[Record]]) -> [UInt8] {
        let pages = pages.map(page)
        var file = Array("cook".utf8) + big(UInt32(pages.count))
        for page in pages { file += big(UInt32(page.count)) }
        return file + pages.joined() + big(0) + [0x07, 0x17, 0x20, 0x05, 0, 0, 0, 0x4B]
    }

    static func page(_ records: [Record]) -> [UInt8] {
        let records = records.map(record)
        var page: [UInt8] = [0, 0, 1, 0] + little(UInt32(records.count))
        var offset = 12 + 4 * records.count
        for record in records {
            page += little(UInt32(offset))
            offset += record.count
        }
        return page + little(0) + records.joined()
    }

    private static func record(_ record: Record) -> [UInt8] {
        var texts: [UInt8] = record.port.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } ?? []
        var offsets: [UInt32] = []
        for text in record.texts {
            offsets.append(UInt32(56 + texts.count))
            texts += Array(text.utf8) + [0]
        }
        offsets += Array(repeating: 0, count: 6 - offsets.count)
        var bytes: [UInt8] = little(UInt32(56 + texts.count)) + little(0) + little(record.flags)
        bytes += little(record.port == nil ? 0 : 1)
        for offset in offsets { bytes += little(offset) }
        for time in [record.expires, 800_000_000] {
            bytes += little(UInt32(truncatingIfNeeded: time.bitPattern))
            bytes += little(UInt32(truncatingIfNeeded: time.bitPattern >> 32))
        }
        return bytes + texts
    }

    private static func big(_ number: UInt32) -> [UInt8] { little(number).reversed() }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
