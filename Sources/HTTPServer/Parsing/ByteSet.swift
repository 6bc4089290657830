// SPDX-License-Identifier: Apache-2.0

/// A set of ASCII bytes; no byte above 0x7F is ever a member.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64
    /// The set's bit in the table of all sets.
    private let mark: UInt8

    /// A set by its bits, 0x00 to 0x3F and 0x40 to 0x7F: a constant, so that using it costs no
    /// check whether it is initialised.
    ///
    /// The tests hold each set against its characters.
    private init(_ low: UInt64, _ high: UInt64, mark: UInt8) {
        self.low = low
        self.high = high
        self.mark = mark
    }

    func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether every one of some bytes is a member.
    ///
    /// Looks at all of them without a branch in between: what is asked about is nearly always in order.
    func containsAll(_ bytes: Span<UInt8>) -> Bool {
        let marks = Marks.all.ofBytes
        return bytes.withUnsafeBufferPointer { bytes in
            var common = mark
            for byte in bytes { common &= marks[Int(byte)] }
            return common != 0
        }
    }

    /// For each byte, the marks of the sets that it belongs to.
    ///
    /// `@unchecked Sendable`: written once, before anybody else sees it, and kept as long as the process.
    private struct Marks: @unchecked Sendable {
        static let all = Marks()
        let ofBytes: UnsafePointer<UInt8>

        private init() {
            let marks = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
            for byte in UInt8.min ... .max {
                marks[Int(byte)] = [token, path, query, hostName, addressLiteral]
                    .reduce(0) { $1.contains(byte) ? $0 | $1.mark : $0 }
            }
            ofBytes = UnsafePointer(marks)
        }
    }

    /// `tchar` (RFC 9110 §5.6.2).
    static let token = ByteSet(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE, mark: 1)
    /// What a path of RFC 3986 §3.3 is made of, `%` aside.
    static let path = ByteSet(0x2FFF_FFD2_0000_0000, 0x47FF_FFFE_87FF_FFFF, mark: 2)
    /// What a query is made of (RFC 3986 §3.4), `%` included, and the printable characters that the URL standard
    /// leaves as they are in a query and that clients therefore do send.
    static let query = ByteSet(0xAFFF_FFF2_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, mark: 4)
    /// What a host name is made of here: no sub-delims and no percent-encoding, which no name on the Internet has.
    static let hostName = ByteSet(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE, mark: 8)
    /// What the inside of `[…]` is made of.
    static let addressLiteral = ByteSet(0x07FF_4000_0000_0000, 0x07FF_FFFE_07FF_FFFE, mark: 16)
}
