// SPDX-License-Identifier: Apache-2.0

/// The names of methods that clients give.
public enum MethodName {
    // Those that `fetch` writes in capitals (Fetch standard, "normalize a method").
    private static let normalized = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]
        .map { Array($0.utf8) }

    /// The method, in capitals where `fetch` would send it so: `get` is GET.
    ///
    /// Nil unless it is a token (RFC 9110 section 5.6.2).
    public static func read(_ text: [UInt8]) -> [UInt8]? {
        guard !text.isEmpty, text.allSatisfy(isTokenOctet) else { return nil }
        let capitals = text.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 ^ 0x20 : $0 }
        return normalized.contains(capitals) ? capitals : text
    }

    private static func isTokenOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
