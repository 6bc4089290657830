// SPDX-License-Identifier: Apache-2.0

/// Writes numbers and octets one after the other: numbers in groups of seven bits, the lowest first, and octets behind
/// their count.
struct OctetWriter {
    private(set) var octets: [UInt8] = []

    mutating func put(_ octet: UInt8) { octets.append(octet) }

    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        octets.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number that may be negative, with its sign in the lowest bit.
    mutating func put(_ number: Int64) { put(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func put(_ bytes: [UInt8]) {
        put(UInt64(bytes.count))
        octets += bytes
    }
}

/// Reads what `OctetWriter` wrote; anything else is undecodable.
struct OctetReader {
    private let octets: [UInt8]
    private var index = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { index == octets.count }

    mutating func octet() throws(PostgresError) -> UInt8 {
        guard index < octets.count else { throw .undecodable("a row that is cut off") }
        defer { index += 1 }
        return octets[index]
    }

    mutating func number() throws(PostgresError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let group = try octet()
            number |= UInt64(group & 0x7F) << shift
            if group < 0x80 { return number }
        }
        throw .undecodable("a number")
    }

    mutating func signedNumber() throws(PostgresError) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func bytes() throws(PostgresError) -> [UInt8] {
        let count = try number()
        guard count <= UInt64(octets.count - index) else {
            throw .undecodable("a row that is cut off")
        }
        defer { index += Int(count) }
        return Array(octets[index..<index + Int(count)])
    }
}
