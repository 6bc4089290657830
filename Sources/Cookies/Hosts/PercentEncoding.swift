// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding as the URL standard's parser does it: what is encoded already stays as it is.
enum PercentEncoding {
    /// Encodes the octets of a set.
    static func encode(
        _ text: ArraySlice<UInt8>, where needsEncoding: (UInt8) -> Bool
    ) -> [UInt8] {
        guard text.contains(where: needsEncoding) else { return Array(text) }
        let digits = Array("0123456789ABCDEF".utf8)
        return text.flatMap { byte -> [UInt8] in
            guard needsEncoding(byte) else { return [byte] }
            return [ASCII.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// The query percent-encode set.
    static func isQueryOctet(_ byte: UInt8) -> Bool {
        if byte <= 0x20 || byte >= 0x7F { return true }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            return true
        default:
            return false
        }
    }

    /// The special-query percent-encode set.
    static func isSpecialQueryOctet(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || isQueryOctet(byte)
    }

    /// The fragment percent-encode set.
    static func isFragmentOctet(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "#") && isQueryOctet(byte) || byte == UInt8(ascii: "`")
    }

    /// The userinfo percent-encode set.
    static func isUserInfoOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"),
            UInt8(ascii: "]"), UInt8(ascii: "|"):
            return true
        default:
            return isQueryOctet(byte)
        }
    }
}
