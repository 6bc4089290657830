// SPDX-License-Identifier: Apache-2.0

import CCrypto
import CookieFormats

/// Opens what CookieCloud has encrypted, with the uuid and the password that its user has.
///
/// The key is made of them by MD5, cut to 64 bits, and nothing authenticates the text: what comes out of a wrong password
/// is mostly refused by the padding, and else by not being JSON. That is how CookieCloud does it; nothing here is a model.
struct CookieCloudCipher: Sendable {
    /// The first 16 digits of the MD5 of `uuid-password`.
    private let key: [UInt8]

    /// A cipher; nil when libcrypto knows no MD5.
    init?(uuid: [UInt8], password: [UInt8]) {
        guard let digest = Self.md5(uuid + [UInt8(ascii: "-")] + password) else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        key = digest.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
    }

    /// The text; nil when this is not the password.
    func open(_ file: EncryptedFile) -> [UInt8]? {
        switch file.mode {
        case .fixedVector:
            return Self.decrypt(
                file.bytes[...], EVP_aes_128_cbc(), key: key,
                vector: [UInt8](repeating: 0, count: 16))
        case .salted:
            let (salt, content) = (file.bytes.dropFirst(8).prefix(8), file.bytes.dropFirst(16))
            guard salt.count == 8 else { return nil }
            // Two rounds of MD5 give 32 octets of key, the third the vector.
            var derived: [UInt8] = []
            var last: [UInt8] = []
            while derived.count < 48 {
                guard let digest = Self.md5(last + key + salt) else { return nil }
                last = digest
                derived += digest
            }
            return Self.decrypt(
                content, EVP_aes_256_cbc(), key: Array(derived[..<32]),
                vector: Array(derived[32...]))
        }
    }

    private static func md5(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 16)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else { return nil }
        return digest
    }

    private static func decrypt(
        _ content: ArraySlice<UInt8>, _ cipher: OpaquePointer?, key: [UInt8], vector: [UInt8]
    ) -> [UInt8]? {
        guard let count = Int32(exactly: content.count), count > 0,
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var plain = [UInt8](repeating: 0, count: content.count + 16)
        var (length, rest): (Int32, Int32) = (0, 0)
        let isOpen = plain.withUnsafeMutableBufferPointer { plain in
            content.withUnsafeBufferPointer { content in
                EVP_DecryptInit_ex(context, cipher, nil, key, vector) == 1
                    && EVP_DecryptUpdate(
                        context, plain.baseAddress, &length, content.baseAddress, count) == 1
                    && EVP_DecryptFinal_ex(
                        context, plain.baseAddress.map { $0 + Int(length) }, &rest) == 1
            }
        }
        guard isOpen else { return nil }
        plain.removeLast(plain.count - Int(length + rest))
        return plain
    }
}
