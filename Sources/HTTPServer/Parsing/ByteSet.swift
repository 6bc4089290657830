// SPDX-License-Identifier: Apache-2.0

/// A set of ASCII bytes; no byte above 0x7F is ever a member.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// The letters, the digits, and the given others.
    init(alphanumericsAnd others: StaticString) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        func insert(_ byte: UInt8) {
            if byte < 64 {
                bits.low |= 1 << UInt64(byte)
            } else {
                bits.high |= 1 << UInt64(byte & 63)
            }
        }
        for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { insert(byte) }
        for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { insert(byte) }
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { insert(byte) }
        for byte in others.bytes { insert(byte) }
        (low, high) = bits
    }

    func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
    }

    /// `tchar` (RFC 9110 §5.6.2).
    static let token = ByteSet(alphanumericsAnd: "!#$%&'*+-.^_`|~")
    /// What a path of RFC 3986 §3.3 is made of, `%` aside.
    static let path = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/")
    /// What a query is made of (RFC 3986 §3.4), `%` included, and the printable characters that the URL standard
    /// leaves as they are in a query and that clients therefore do send.
    static let query = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/?%[]{}|^`\\")
    /// What a host name is made of here: no sub-delims and no percent-encoding, which no name on the Internet has.
    static let hostName = ByteSet(alphanumericsAnd: "-._~")
    /// What the inside of `[…]` is made of.
    static let addressLiteral = ByteSet(alphanumericsAnd: ":.")
}
