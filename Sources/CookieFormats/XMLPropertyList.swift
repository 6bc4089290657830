// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// A strict reader of property lists in XML (Apple's `PropertyList-1.0.dtd`), and what is needed to write one.
//
// It knows that document type and no other: elements of it without attributes, the five entities of XML and character
// references, comments, CDATA sections, and a document type declaration without declarations of its own, so that there
// is nothing to expand. It walks over bytes that have been checked to be UTF-8.
struct XMLPropertyList {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>

        """
    static let foot = "</array>\n</plist>\n"

    private static let maximumDepth = 32

    private let text: [UInt8]
    private var position = 0

    /// The value of a property list.
    static func parse(_ text: [UInt8]) throws(CookieFileError) -> PropertyValue {
        guard UTF8Text.isValid(text) else {
            throw .notTheFormat(detail: "The property list is not UTF-8.", offset: nil)
        }
        var reader = XMLPropertyList(text: text)
        try reader.skipProlog()
        guard let root = try reader.startTag(), root.name.elementsEqual("plist".utf8), !root.isEmpty
        else { throw reader.error("<plist>") }
        guard let first = try reader.startTag() else { throw reader.error("a value") }
        let value = try reader.value(first, depth: 0)
        try reader.endTag("plist")
        try reader.skipMisc()
        guard reader.position == text.count else { throw reader.error("the end of the text") }
        return value
    }

    /// Appends a text, escaped.
    static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            default: bytes.append(byte)
            }
        }
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private struct Tag {
        let name: ArraySlice<UInt8>
        /// Whether it ends itself.
        let isEmpty: Bool
    }

    private mutating func value(_ tag: Tag, depth: Int) throws(CookieFileError) -> PropertyValue {
        guard depth < Self.maximumDepth else { throw error("less deep nesting") }
        let name = String(decoding: tag.name, as: UTF8.self)
        switch name {
        case "true", "false":
            if !tag.isEmpty { try endTag(name) }
            return .flag(name == "true")
        case "dict": return .dictionary(tag.isEmpty ? [] : try members(depth: depth))
        case "array": return .array(tag.isEmpty ? [] : try elements(depth: depth))
        case "string", "integer", "real", "date", "data":
            let content = tag.isEmpty ? [] : try content(of: name)
            return try scalar(name, content)
        default: throw error("an element of a property list")
        }
    }

    private func scalar(_ name: String, _ content: [UInt8]) throws(CookieFileError) -> PropertyValue
    {
        switch name {
        case "string": return .text(content)
        case "data":
            let letters = content.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let data = Base64.decode(letters) else { throw error("base 64") }
            return .data(data)
        case "date":
            guard let time = RFC3339.parse(content) else { throw error("a date") }
            return .date(Timestamp(milliseconds: time))
        default:
            guard let number = Double(String(decoding: content, as: UTF8.self)), number.isFinite
            else { throw error("a number") }
            return .number(number)
        }
    }

    private mutating func elements(depth: Int) throws(CookieFileError) -> [PropertyValue] {
        var elements: [PropertyValue] = []
        while let tag = try startTag() { elements.append(try value(tag, depth: depth + 1)) }
        try endTag("array")
        return elements
    }

    private mutating func members(
        depth: Int
    ) throws(CookieFileError) -> [(key: [UInt8], value: PropertyValue)] {
        var members: [(key: [UInt8], value: PropertyValue)] = []
        while let tag = try startTag() {
            guard tag.name.elementsEqual("key".utf8) else { throw error("<key>") }
            let key = tag.isEmpty ? [] : try content(of: "key")
            guard let next = try startTag() else { throw error("a value") }
            members.append((key: key, value: try value(next, depth: depth + 1)))
        }
        try endTag("dict")
        return members
    }

    // MARK: Markup

    /// The next start tag; nil before an end tag.
    private mutating func startTag() throws(CookieFileError) -> Tag? {
        try skipMisc()
        guard take("<") else { throw error("an element") }
        guard position < text.count, text[position] != UInt8(ascii: "/") else {
            position -= 1
            return nil
        }
        let start = position
        while position < text.count, Self.isNameByte(text[position]) { position += 1 }
        let name = text[start..<position]
        guard !name.isEmpty else { throw error("an element's name") }
        // Only the root has an attribute, its version.
        if name.elementsEqual("plist".utf8) {
            guard let end = text[position...].firstIndex(of: UInt8(ascii: ">")) else {
                throw error("the tag's end")
            }
            position = end
        }
        skipBlanks()
        let isEmpty = take("/")
        guard take(">") else { throw error("the tag's end") }
        return Tag(name: name, isEmpty: isEmpty)
    }

    private mutating func endTag(_ name: String) throws(CookieFileError) {
        try skipMisc()
        guard take("</"), text[position...].starts(with: name.utf8) else {
            throw error("</\(name)>")
        }
        position += name.utf8.count
        skipBlanks()
        guard take(">") else { throw error("</\(name)>") }
    }

    /// The text up to an element's end tag, which is passed too.
    private mutating func content(of name: String) throws(CookieFileError) -> [UInt8] {
        var content: [UInt8] = []
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "<"):
                if take("<![CDATA[") {
                    content += try upTo("]]>")
                } else if take("<!--") {
                    _ = try upTo("-->")
                } else {
                    try endTag(name)
                    return content
                }
            case UInt8(ascii: "&"): try appendReference(to: &content)
            case let byte:
                content.append(byte)
                position += 1
            }
        }
        throw error("</\(name)>")
    }

    private mutating func appendReference(to content: inout [UInt8]) throws(CookieFileError) {
        position += 1
        let body = text[position...].prefix(12)
        guard let end = body.firstIndex(of: UInt8(ascii: ";")) else { throw error("an entity") }
        let name = String(decoding: text[position..<end], as: UTF8.self)
        switch name {
        case "amp": content.append(UInt8(ascii: "&"))
        case "lt": content.append(UInt8(ascii: "<"))
        case "gt": content.append(UInt8(ascii: ">"))
        case "quot": content.append(UInt8(ascii: "\""))
        case "apos": content.append(UInt8(ascii: "'"))
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            guard let number, let scalar = Unicode.Scalar(number), number > 0 else {
                throw error("an entity of XML")
            }
            content += Array(String(scalar).utf8)
        }
        position = end + 1
    }

    private mutating func skipProlog() throws(CookieFileError) {
        skipBlanks()
        if take("<?xml") { _ = try upTo("?>") }
        try skipMisc()
        if take("<!DOCTYPE") {
            let declaration = try upTo(">")
            guard !declaration.contains(UInt8(ascii: "[")) else {
                throw error("a document type without declarations")
            }
        }
    }

    private mutating func skipMisc() throws(CookieFileError) {
        skipBlanks()
        while take("<!--") {
            _ = try upTo("-->")
            skipBlanks()
        }
    }

    private mutating func skipBlanks() {
        while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) {
            position += 1
        }
    }

    private mutating func take(_ token: String) -> Bool {
        guard text[position...].starts(with: token.utf8) else { return false }
        position += token.utf8.count
        return true
    }

    /// What comes before some text, which is passed too.
    private mutating func upTo(_ token: String) throws(CookieFileError) -> ArraySlice<UInt8> {
        let first = token.utf8.first
        var index = position
        while index < text.count {
            if text[index] == first, text[index...].starts(with: token.utf8) {
                defer { position = index + token.utf8.count }
                return text[position..<index]
            }
            index += 1
        }
        throw error(token)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }

    private func error(_ expected: String) -> CookieFileError {
        .notTheFormat(
            detail:
                "The file is not a property list in XML: byte \(position), expected \(expected).",
            offset: position)
    }
}
