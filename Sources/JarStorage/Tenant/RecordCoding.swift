// SPDX-License-Identifier: Apache-2.0

// How records are written as octets: numbers with their highest octet first, lists and octets behind their count.

import Cookies

/// Writes a record's body.
struct RecordWriter {
    private(set) var bytes: [UInt8]

    /// Begins with the version of the encoding.
    init(version: UInt8) { bytes = [version] }

    mutating func write(_ number: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func write(_ octet: UInt8) { bytes.append(octet) }

    mutating func write(_ octets: [UInt8]) {
        write(UInt64(octets.count))
        bytes += octets
    }

    mutating func write(_ list: [[UInt8]]) {
        write(UInt64(list.count))
        for item in list { write(item) }
    }

    mutating func write(_ time: Timestamp) {
        write(UInt64(bitPattern: time.milliseconds))
    }
}

/// Reads a record's body; every call answers nil where the octets end too early.
struct RecordReader {
    private var rest: ArraySlice<UInt8>

    /// Nil when the body is of another version.
    init?(_ body: [UInt8], version: UInt8) {
        guard body.first == version else { return nil }
        rest = body.dropFirst()
    }

    /// Whether everything has been read.
    var isAtEnd: Bool { rest.isEmpty }

    mutating func octet() -> UInt8? { rest.popFirst() }

    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func octets() -> [UInt8]? {
        guard let count = number(), count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func list() -> [[UInt8]]? {
        // Each item takes eight octets at least, so a count from a damaged record makes no large array.
        guard let count = number(), count <= UInt64(rest.count / 8) else { return nil }
        var items: [[UInt8]] = []
        for _ in 0..<count {
            guard let item = octets() else { return nil }
            items.append(item)
        }
        return items
    }

    mutating func time() -> Timestamp? {
        number().map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }
}

/// Leaves names as they are: those of a record are canonical already.
struct CanonicalNames: DomainNameMapping {
    func asciiForm(of name: [UInt8]) -> [UInt8]? { name }
}
