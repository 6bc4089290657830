// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// Property dictionaries of `NSHTTPCookie`, in JSON or as a property list, in XML or binary: an array of dictionaries, or
// one alone, or a dictionary with such arrays in it.
enum PropertyFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString {
        switch context.propertyForm {
        case .json: "application/json"
        case .propertyList: "application/x-plist"
        }
    }

    private static let complaint = "The file has no property dictionaries of cookies."

    static func recognises(_ opening: FileOpening) -> Bool {
        if let json = opening.json {
            return [1, 2, 3].contains { depth in
                json.has("Name", at: depth)
                    && (json.has("Domain", at: depth) || json.has("OriginURL", at: depth)
                        || json.has("Value", at: depth))
            }
        }
        return opening.begins(with: "bplist0") || isXML(opening)
    }

    private static func isXML(_ opening: FileOpening) -> Bool {
        let head = opening.bytes.prefix(1024).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard head.first == UInt8(ascii: "<") else { return false }
        return head.indices.contains { head[$0...].starts(with: "<plist".utf8) }
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        let now = context.now
        if opening.begins(with: "bplist0") {
            return WholeFileReader { file, entries throws(CookieFileError) in
                try read(try binaryList(file), now, into: &entries)
            }
        }
        if isXML(opening) {
            return WholeFileReader { file, entries throws(CookieFileError) in
                let list = try XMLPropertyList.parse(file)
                try read(
                    try KeyedArchive.opened(list, octets: file.count), now, into: &entries)
            }
        }
        guard let json = opening.json else {
            throw .notTheFormat(detail: complaint, offset: nil)
        }
        if json.isArray {
            return JSONFileReader(
                [JSONPlace([.any])], needed: nil, complaint: complaint
            ) { element, entries throws(CookieFileError) in
                append(
                    element.value.map { PropertyValue($0) } ?? .null, element.pointer, now,
                    into: &entries)
            }
        }
        return JSONFileReader(
            [JSONPlace([])], needed: 0, complaint: complaint
        ) { element, entries throws(CookieFileError) in
            try read(element.value.map { PropertyValue($0) } ?? .null, now, into: &entries)
        }
    }

    /// The value of a binary property list, which may be an archive.
    private static func binaryList(_ list: [UInt8]) throws(CookieFileError) -> PropertyValue {
        try KeyedArchive.opened(try BinaryPropertyList.parse(list), octets: list.count)
    }

    /// Appends the entries of a file that is there as a whole.
    private static func read(
        _ root: PropertyValue, _ now: Timestamp, into entries: inout [FileEntry]
    ) throws(CookieFileError) {
        switch root {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                append(element, "/\(index)", now, into: &entries)
            }
        case .dictionary(let members):
            if members.contains(where: { $0.key.elementsEqual("Name".utf8) }) {
                return append(root, "", now, into: &entries)
            }
            try read(members: members, now, into: &entries)
        default: throw .notTheFormat(detail: complaint, offset: nil)
        }
    }

    /// Appends the entries of a dictionary's arrays, such as an app's settings have them: as they are, or as data that an
    /// archive was put into.
    private static func read(
        members: [(key: [UInt8], value: PropertyValue)], _ now: Timestamp,
        into entries: inout [FileEntry]
    ) throws(CookieFileError) {
        var isFound = false
        for member in members {
            var value = member.value
            if case .data(let data) = value, data.starts(with: "bplist0".utf8) {
                value = try binaryList(data)
            }
            guard case .array(let elements) = value else { continue }
            isFound = true
            let key = String(decoding: member.key.prefix(256), as: UTF8.self)
                .replacing("~", with: "~0").replacing("/", with: "~1")
            for (index, element) in elements.enumerated() {
                append(element, "/\(key)/\(index)", now, into: &entries)
            }
        }
        guard isFound else { throw .notTheFormat(detail: complaint, offset: nil) }
    }

    private static func append(
        _ element: PropertyValue, _ pointer: String, _ now: Timestamp,
        into entries: inout [FileEntry]
    ) {
        entries.append(
            FileEntry(.pointer(pointer)) { () throws(EntryFault) in
                guard case .dictionary(let members) = element else { throw .malformedEntry }
                return try PropertyDictionary(members: members).cookie(now: now)
            })
    }

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        var lost = LostAttributes(ofJSON: cookie)
        lost.remove(.legacy)
        guard context.propertyForm == .propertyList else { return lost }
        if let expires = cookie.expires, expires.milliseconds % 1000 != 0 {
            lost.insert(.expiresFraction)
        }
        return lost
    }

    struct Body: FileBody {
        private let form: WritingContext.PropertyForm
        private var isFirst = true

        init(_ cookies: inout CookieSelection, _ context: WritingContext) {
            form = context.propertyForm
        }

        mutating func begin(into bytes: inout [UInt8]) {
            switch form {
            case .json: bytes.append(UInt8(ascii: "["))
            case .propertyList: bytes += Array(XMLPropertyList.head.utf8)
            }
        }

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            let properties = CookieProperties(cookie)
            switch form {
            case .json:
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                properties.appendJSON(to: &bytes)
            case .propertyList:
                properties.appendXML(to: &bytes)
            }
        }

        mutating func end(into bytes: inout [UInt8]) {
            switch form {
            case .json: bytes.append(UInt8(ascii: "]"))
            case .propertyList: bytes += Array(XMLPropertyList.foot.utf8)
            }
        }
    }
}
