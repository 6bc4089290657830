// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// AES-256-GCM under one key: the only cipher there is.
///
/// Not `Sendable`: its contexts are used by one thread at a time. They hold the expanded key and are wiped by libcrypto
/// when they are freed.
final class AuthenticatedCipher {
    static let nonceLength = 12
    static let tagLength = 16

    private let encryptor: OpaquePointer
    private let decryptor: OpaquePointer

    /// Prepares the cipher.
    init(_ key: KeyBytes) throws(SealingError) {
        guard let encryptor = EVP_CIPHER_CTX_new() else { throw .engine(operation: "new cipher") }
        guard let decryptor = EVP_CIPHER_CTX_new() else {
            EVP_CIPHER_CTX_free(encryptor)
            throw .engine(operation: "new cipher")
        }
        self.encryptor = encryptor
        self.decryptor = decryptor
        let isReady = key.withUnsafeBytes { octets in
            let start = octets.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_EncryptInit_ex(encryptor, EVP_aes_256_gcm(), nil, start, nil) == 1
                && EVP_DecryptInit_ex(decryptor, EVP_aes_256_gcm(), nil, start, nil) == 1
        }
        guard isReady else { throw .engine(operation: "set key") }
    }

    deinit {
        EVP_CIPHER_CTX_free(encryptor)
        EVP_CIPHER_CTX_free(decryptor)
    }

    /// Encrypts `text` in place, and puts the tag into the sixteen octets at `tag`.
    ///
    /// - Parameters:
    ///   - text: what is encrypted.
    ///   - nonce: twelve octets that this key has never been used with.
    ///   - associated: what is not encrypted but has to be the same when it is opened.
    ///   - tag: where the tag goes.
    /// - Throws: `SealingError.engine`.
    func encrypt(
        _ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer,
        associated: [UnsafeRawBufferPointer], tag: UnsafeMutableRawBufferPointer
    ) throws(SealingError) {
        guard tag.count == Self.tagLength, let length = Int32(exactly: text.count) else {
            throw .engine(operation: "start sealing")
        }
        try start(encryptor, "start sealing", nonce, associated)
        var count: Int32 = 0
        guard
            EVP_EncryptUpdate(
                encryptor, text.octets, &count, UnsafeRawBufferPointer(text).octets, length) == 1,
            count == length, EVP_EncryptFinal_ex(encryptor, tag.octets, &count) == 1, count == 0,
            EVP_CIPHER_CTX_ctrl(
                encryptor, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag.baseAddress) == 1
        else { throw .engine(operation: "seal") }
    }

    /// Decrypts `text` in place; when the tag does not fit, what is left there is wiped.
    func decrypt(
        _ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer,
        associated: [UnsafeRawBufferPointer], tag: UnsafeRawBufferPointer
    ) throws(SealingError) {
        guard tag.count == Self.tagLength, let length = Int32(exactly: text.count) else {
            throw .engine(operation: "start opening")
        }
        try start(decryptor, "start opening", nonce, associated)
        var count: Int32 = 0
        guard
            EVP_CIPHER_CTX_ctrl(
                decryptor, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength),
                UnsafeMutableRawPointer(mutating: tag.baseAddress)) == 1,
            EVP_DecryptUpdate(
                decryptor, text.octets, &count, UnsafeRawBufferPointer(text).octets, length) == 1,
            count == length
        else {
            Wiping.wipe(text)
            throw .engine(operation: "open")
        }
        var rest: UInt8 = 0
        guard EVP_DecryptFinal_ex(decryptor, &rest, &count) == 1, count == 0 else {
            Wiping.wipe(text)
            throw .forged
        }
    }

    /// Begins a text in a context that knows its direction.
    private func start(
        _ context: OpaquePointer, _ operation: String, _ nonce: UnsafeRawBufferPointer,
        _ associated: [UnsafeRawBufferPointer]
    ) throws(SealingError) {
        var count: Int32 = 0
        let keepsDirection: Int32 = -1
        guard nonce.count == Self.nonceLength,
            EVP_CipherInit_ex(context, nil, nil, nil, nonce.octets, keepsDirection) == 1
        else { throw .engine(operation: operation) }
        for part in associated where !part.isEmpty {
            guard let size = Int32(exactly: part.count),
                EVP_CipherUpdate(context, nil, &count, part.octets, size) == 1
            else { throw .engine(operation: "take associated data") }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var octets: UnsafePointer<UInt8>? {
        baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var octets: UnsafeMutablePointer<UInt8>? {
        baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
