// SPDX-License-Identifier: Apache-2.0

import Cookies

/// What `NSKeyedArchiver` wrote, as apps save their cookies: a property list with a table of objects that refer to each
/// other by number.
///
/// Arrays, dictionaries, dates, strings and URLs become what they stand for; an object of any other class becomes the
/// dictionary of its members. Objects may share others, even make circles: depth and visits are bounded.
struct KeyedArchive {
    private static let maximumDepth = 32

    private typealias Members = [(key: [UInt8], value: PropertyValue)]

    private let objects: [PropertyValue]
    /// As for a binary list.
    private var visitsLeft: Int

    /// The value that was archived, if a property list of some octets is an archive; else the list itself.
    static func opened(
        _ list: PropertyValue, octets: Int
    ) throws(CookieFileError) -> PropertyValue {
        guard case .dictionary(let members) = list,
            case .text(let archiver)? = member("$archiver", of: members),
            archiver.elementsEqual("NSKeyedArchiver".utf8)
        else { return list }
        guard case .array(let objects)? = member("$objects", of: members),
            case .dictionary(let top)? = member("$top", of: members)
        else { throw damage }
        var archive = KeyedArchive(objects: objects, visitsLeft: octets)
        // Of one value it is named so, and of several each has a name.
        if let root = member("root", of: top) { return try archive.value(root, depth: 0) }
        return .dictionary(try archive.members(top, depth: 0))
    }

    private init(objects: [PropertyValue], visitsLeft: Int) {
        self.objects = objects
        self.visitsLeft = visitsLeft
    }

    private mutating func value(
        _ value: PropertyValue, depth: Int
    ) throws(CookieFileError) -> PropertyValue {
        visitsLeft -= 1
        guard visitsLeft >= 0, depth < Self.maximumDepth else {
            throw .tooLarge(offset: 0, what: "the nesting of the archive")
        }
        guard let number = Self.reference(value) else { return value }
        guard objects.indices.contains(number) else { throw Self.damage }
        switch objects[number] {
        case .text(let text) where text.elementsEqual("$null".utf8): return .null
        case .dictionary(let members): return try object(members, depth: depth)
        case let plain: return plain
        }
    }

    private mutating func object(
        _ members: Members, depth: Int
    ) throws(CookieFileError) -> PropertyValue {
        if case .array(let values)? = Self.member("NS.objects", of: members) {
            let values = try elements(values, depth: depth)
            guard case .array(let keys)? = Self.member("NS.keys", of: members) else {
                return .array(values)
            }
            var dictionary: Members = []
            for (key, value) in zip(try elements(keys, depth: depth), values) {
                guard case .text(let key) = key else { throw Self.damage }
                dictionary.append((key: key, value: value))
            }
            return .dictionary(dictionary)
        }
        if case .number(let seconds)? = Self.member("NS.time", of: members) {
            guard let time = Timestamp(appleSeconds: seconds) else { throw Self.damage }
            return .date(time)
        }
        for name in ["NS.string", "NS.relative"] as [StaticString] {
            guard let text = Self.member(name, of: members) else { continue }
            return try value(text, depth: depth + 1)
        }
        return .dictionary(try self.members(members, depth: depth))
    }

    private mutating func elements(
        _ values: [PropertyValue], depth: Int
    ) throws(CookieFileError) -> [PropertyValue] {
        var elements: [PropertyValue] = []
        for element in values { elements.append(try value(element, depth: depth + 1)) }
        return elements
    }

    private mutating func members(
        _ members: Members, depth: Int
    ) throws(CookieFileError) -> Members {
        var opened: Members = []
        for member in members where !member.key.elementsEqual("$class".utf8) {
            opened.append((key: member.key, value: try value(member.value, depth: depth + 1)))
        }
        return opened
    }

    /// The number of an object; lists in XML have it in a dictionary.
    private static func reference(_ value: PropertyValue) -> Int? {
        switch value {
        case .reference(let number): number
        case .dictionary(let members) where members.count == 1:
            if case .number(let number)? = member("CF$UID", of: members) {
                Int(exactly: number)
            } else {
                nil
            }
        default: nil
        }
    }

    private static func member(_ name: StaticString, of members: Members) -> PropertyValue? {
        members.first { member in
            name.withUTF8Buffer { member.key.elementsEqual($0) }
        }?.value
    }

    private static let damage = CookieFileError.notTheFormat(
        detail: "The property list is an archive whose objects do not fit together.", offset: nil)
}
