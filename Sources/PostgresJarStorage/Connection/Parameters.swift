// SPDX-License-Identifier: Apache-2.0

/// The parameters of one statement, in PostgreSQL's binary format.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    /// Where each parameter ends in `bytes`.
    private(set) var ends: [Int] = []

    /// The types' numbers in the catalogue, which never change.
    private enum Kind: UInt32 {
        case flag = 16
        case octets = 17
        case integer = 20
        case small = 21
        case text = 25
    }

    var count: Int { ends.count }

    /// Octets, or text.
    mutating func octets(_ value: [UInt8]) {
        bytes += value
        ends.append(bytes.count)
    }

    mutating func integer(_ value: Int64) {
        bytes.appendBigEndian(value)
        ends.append(bytes.count)
    }

    mutating func flag(_ value: Bool) {
        bytes.append(value ? 1 : 0)
        ends.append(bytes.count)
    }

    mutating func texts(_ values: [[UInt8]]) { array(.text, values) { $1 += $0 } }

    mutating func octets(_ values: [[UInt8]?]) { array(.octets, values) { $1 += $0 } }

    mutating func integers(_ values: [Int64?]) {
        array(.integer, values) { $1.appendBigEndian($0) }
    }

    mutating func smalls(_ values: [Int16]) { array(.small, values) { $1.appendBigEndian($0) } }

    mutating func flags(_ values: [Bool]) { array(.flag, values) { $1.append($0 ? 1 : 0) } }

    /// An array of one dimension: whether any may be NULL, the type, how many there are, then each with its length.
    private mutating func array<Value>(
        _ kind: Kind, _ values: [Value?], _ append: (Value, inout [UInt8]) -> Void
    ) {
        bytes.appendBigEndian(Int32(values.isEmpty ? 0 : 1))
        bytes.appendBigEndian(Int32(1))
        bytes.appendBigEndian(kind.rawValue)
        if !values.isEmpty {
            bytes.appendBigEndian(Int32(truncatingIfNeeded: values.count))
            bytes.appendBigEndian(Int32(1))
        }
        for value in values {
            let start = bytes.count
            bytes.appendBigEndian(Int32(-1))
            guard let value else { continue }
            append(value, &bytes)
            bytes.replaceBigEndian(Int32(truncatingIfNeeded: bytes.count - start - 4), at: start)
        }
        ends.append(bytes.count)
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func replaceBigEndian(_ value: Int32, at index: Int) {
        Swift.withUnsafeBytes(of: value.bigEndian) { source in
            for (offset, byte) in source.enumerated() { self[index + offset] = byte }
        }
    }
}
