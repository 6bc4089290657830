// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// A strict reader of binary property lists (`bplist00`).
//
// The last 32 octets say how wide offsets and references are, how many objects there are, which is the root and where
// the table of offsets begins. Objects refer to each other by number. A file may share objects, even make circles of
// them: depth, visits and copied octets are bounded, so that a small file costs little.
struct BinaryPropertyList {
    private static let maximumDepth = 32
    private static let maximumOctets = 32 << 20

    private let file: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let table: Int
    /// Each visit is through a reference, which has an octet at least; a list that needs more has few of them often.
    private var visitsLeft: Int
    private var octets = 0

    /// The value of a property list.
    static func parse(_ file: [UInt8]) throws(CookieFileError) -> PropertyValue {
        guard file.count >= 40, file.starts(with: "bplist0".utf8) else { throw damage(0) }
        let trailer = file.count - 32
        let (offsetSize, referenceSize) = (Int(file[trailer + 6]), Int(file[trailer + 7]))
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = number(file, at: trailer + 8, 8), count > 0, count <= file.count,
            let top = number(file, at: trailer + 16, 8), top < count,
            let table = number(file, at: trailer + 24, 8), table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw damage(trailer) }
        var reader = BinaryPropertyList(
            file: file, offsetSize: offsetSize, referenceSize: referenceSize, count: count,
            table: table)
        return try reader.object(top, depth: 0)
    }

    private init(file: [UInt8], offsetSize: Int, referenceSize: Int, count: Int, table: Int) {
        self.file = file
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.count = count
        self.table = table
        visitsLeft = file.count
    }

    private mutating func object(_ index: Int, depth: Int) throws(CookieFileError) -> PropertyValue
    {
        visitsLeft -= 1
        guard visitsLeft >= 0, depth < Self.maximumDepth else {
            throw .tooLarge(offset: 0, what: "the nesting of the property list")
        }
        guard index < count,
            let start = Self.number(file, at: table + index * offsetSize, offsetSize),
            start < table
        else { throw Self.damage(table) }
        let marker = file[start]
        switch marker >> 4 {
        case 0x0: return try simple(marker, at: start)
        case 0x1: return .number(try integer(marker, at: start))
        case 0x2: return .number(try real(marker, at: start))
        case 0x3:
            guard marker == 0x33 else { throw Self.damage(start) }
            return try date(at: start)
        case 0x4: return .data(Array(file[try extent(at: start, unit: 1)]))
        case 0x5: return .text(try ascii(at: start))
        case 0x6: return .text(try unicode(at: start))
        case 0x8: return .reference(try identifier(marker, at: start))
        case 0xA: return .array(try elements(at: start, depth: depth))
        case 0xD: return .dictionary(try members(at: start, depth: depth))
        default: throw Self.damage(start)
        }
    }

    private func simple(_ marker: UInt8, at start: Int) throws(CookieFileError) -> PropertyValue {
        switch marker {
        case 0x00: return .null
        case 0x08: return .flag(false)
        case 0x09: return .flag(true)
        default: throw Self.damage(start)
        }
    }

    private func integer(_ marker: UInt8, at start: Int) throws(CookieFileError) -> Double {
        let size = 1 << Int(marker & 0x0F)
        guard size <= 8, let bits = unsigned(at: start + 1, size) else { throw Self.damage(start) }
        // Only the widest are signed.
        return size == 8 ? Double(Int64(bitPattern: bits)) : Double(bits)
    }

    private func real(_ marker: UInt8, at start: Int) throws(CookieFileError) -> Double {
        let size = 1 << Int(marker & 0x0F)
        guard size == 4 || size == 8, let bits = unsigned(at: start + 1, size) else {
            throw Self.damage(start)
        }
        let number =
            size == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
            : Double(bitPattern: bits)
        guard number.isFinite else { throw Self.damage(start) }
        return number
    }

    /// The number of an archived object, in as many octets as the marker says, and one.
    private func identifier(_ marker: UInt8, at start: Int) throws(CookieFileError) -> Int {
        let size = Int(marker & 0x0F) + 1
        guard size <= 8, let number = Self.number(file, at: start + 1, size) else {
            throw Self.damage(start)
        }
        return number
    }

    private func date(at start: Int) throws(CookieFileError) -> PropertyValue {
        guard let bits = unsigned(at: start + 1, 8),
            let time = Timestamp(appleSeconds: Double(bitPattern: bits))
        else { throw Self.damage(start) }
        return .date(time)
    }

    private mutating func ascii(at start: Int) throws(CookieFileError) -> [UInt8] {
        let range = try extent(at: start, unit: 1)
        guard file[range].allSatisfy({ $0 < 0x80 }) else { throw Self.damage(start) }
        return Array(file[range])
    }

    private mutating func unicode(at start: Int) throws(CookieFileError) -> [UInt8] {
        let range = try extent(at: start, unit: 2)
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(file[$0]) << 8 | UInt16(file[$0 + 1])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private mutating func elements(
        at start: Int, depth: Int
    ) throws(CookieFileError) -> [PropertyValue] {
        let range = try extent(at: start, unit: referenceSize)
        var elements: [PropertyValue] = []
        for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            elements.append(try object(try reference(at: place), depth: depth + 1))
        }
        return elements
    }

    private mutating func members(
        at start: Int, depth: Int
    ) throws(CookieFileError) -> [(key: [UInt8], value: PropertyValue)] {
        // Two references for each: all keys first, then all values.
        let range = try extent(at: start, unit: 2 * referenceSize)
        let half = range.count / 2
        var members: [(key: [UInt8], value: PropertyValue)] = []
        for step in stride(from: 0, to: half, by: referenceSize) {
            let place = range.lowerBound + step
            let key = try object(try reference(at: place), depth: depth + 1)
            guard case .text(let key) = key else { throw Self.damage(place) }
            let value = try object(try reference(at: place + half), depth: depth + 1)
            members.append((key: key, value: value))
        }
        return members
    }

    private func reference(at place: Int) throws(CookieFileError) -> Int {
        guard let index = Self.number(file, at: place, referenceSize) else {
            throw Self.damage(place)
        }
        return index
    }

    /// Where the content of an object lies, whose count is in its marker or, if that is 15, in an integer after it.
    private mutating func extent(at start: Int, unit: Int) throws(CookieFileError) -> Range<Int> {
        var (length, first) = (Int(file[start] & 0x0F), start + 1)
        if length == 15 {
            guard first < table, file[first] >> 4 == 0x1, file[first] & 0x0F <= 3 else {
                throw Self.damage(start)
            }
            let size = 1 << Int(file[first] & 0x0F)
            guard let long = Self.number(file, at: first + 1, size) else {
                throw Self.damage(start)
            }
            (length, first) = (long, first + 1 + size)
        }
        guard first <= table, length <= (table - first) / unit else { throw Self.damage(start) }
        octets += length * unit
        guard octets <= Self.maximumOctets else {
            throw .tooLarge(offset: start, what: "the texts of the property list")
        }
        return first..<(first + length * unit)
    }

    private func unsigned(at place: Int, _ size: Int) -> UInt64? {
        guard place >= 0, place + size <= file.count else { return nil }
        return file[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of some octets, highest first; nil outside of the file or of `Int`.
    private static func number(_ file: [UInt8], at place: Int, _ size: Int) -> Int? {
        guard place >= 0, place <= file.count - size else { return nil }
        return Int(
            exactly: file[place..<(place + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func damage(_ offset: Int) -> CookieFileError {
        .notTheFormat(
            detail: "The file is not a binary property list: byte \(offset).", offset: nil)
    }
}

extension Timestamp {
    /// A time that Apple counts in seconds from 2001-01-01; nil for what is no number.
    init?(appleSeconds seconds: Double) {
        guard seconds.isFinite else { return nil }
        let bound = 9_007_199_254_740_992.0
        let milliseconds = ((seconds + 978_307_200) * 1000).rounded()
        self.init(milliseconds: Int64(min(max(milliseconds, -bound), bound)))
    }
}
