// SPDX-License-Identifier: Apache-2.0

import CZlib
import CookieSyncWire
import JarStorage

/// A token as its holder has it: `csk_tenant_<id>_<secret>_<checksum>`.
///
/// The prefix and the checksum, a CRC-32 of everything before it, let scanners of source code and logs tell a token from
/// text that looks like one; and a token that was cut off or mistyped is refused before anything is looked up. Id, secret
/// and checksum are digits of base 62; the secret's 43 digits are drawn one by one from the system's generator, which
/// makes 256 bits.
enum TokenText {
    static let prefix: StaticString = "csk_tenant_"
    static let secretLength = 43
    private static let checksumLength = 6
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The parts of a token that is well-formed.
    struct Parts {
        let id: TokenID
        let secret: UnsafeBufferPointer<UInt8>
    }

    /// The parts of what was sent, or nil when it is no token: wrong in its form or in its checksum.
    ///
    /// Costs no heap allocation.
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Parts? {
        let idStart = prefix.utf8CodeUnitCount
        let secretStart = idStart + TokenID.length + 1
        let checksumStart = secretStart + secretLength + 1
        guard text.count == checksumStart + checksumLength, text.slice(0..<idStart).equals(prefix),
            text[secretStart - 1] == UInt8(ascii: "_"),
            text[checksumStart - 1] == UInt8(ascii: "_"),
            let id = TokenID(text.slice(idStart..<secretStart - 1))
        else { return nil }
        let secret = text.slice(secretStart..<checksumStart - 1)
        guard secret.allSatisfy(TokenID.isOctet) else { return nil }
        var rest = CRC32.checksum(text.slice(0..<checksumStart - 1))
        for index in (checksumStart..<text.count).reversed() {
            guard text[index] == digits[Int(rest % 62)] else { return nil }
            rest /= 62
        }
        return Parts(id: id, secret: secret)
    }

    /// A new id.
    static func randomID() -> TokenID {
        while true {
            if let id = TokenID(randomDigits(TokenID.length)) { return id }
        }
    }

    /// A new secret.
    static func randomSecret() -> SecretBytes { SecretBytes(randomDigits(secretLength)) }

    /// The token with this id and secret.
    static func compose(
        _ id: TokenID, _ secret: SecretBytes, prefix: StaticString = prefix
    ) -> SecretBytes {
        var text = prefix.withUTF8Buffer(Array.init)
        text += id.bytes + [UInt8(ascii: "_")] + secret.bytes
        var rest = text.withUnsafeBufferPointer(CRC32.checksum)
        var checksum: [UInt8] = []
        for _ in 0..<checksumLength {
            checksum.append(digits[Int(rest % 62)])
            rest /= 62
        }
        return SecretBytes(text + [UInt8(ascii: "_")] + checksum.reversed())
    }

    private static func randomDigits(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] }
    }
}

/// The admin token in the same form, `csk_admin_<id>_<secret>_<checksum>`.
///
/// Only its text counts: an operator may use another one.
public enum AdminTokenText {
    /// A new admin token.
    public static func random() -> [UInt8] {
        TokenText.compose(
            TokenText.randomID(), TokenText.randomSecret(), prefix: "csk_admin_"
        ).bytes
    }
}

/// The CRC-32 of IEEE 802.3, as in zlib and gzip.
enum CRC32 {
    /// The checksum of some bytes.
    static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.baseAddress, bytes.count))
    }
}
