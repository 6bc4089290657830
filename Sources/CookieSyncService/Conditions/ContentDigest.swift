// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// A SHA-256 over content that comes in pieces.
///
/// `@unchecked Sendable`, because the compiler cannot see that the context is used on the event loop of one connection
/// alone, which takes the content and then answers.
final class ContentDigest: @unchecked Sendable {
    private let context: OpaquePointer

    init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        else { preconditionFailure("SHA-256 is there and cannot fail in memory") }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes the next piece.
    func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        EVP_DigestUpdate(context, start, bytes.count)
    }

    /// Takes the next piece, in memory.
    func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { add($0) }
    }

    /// The digest of all pieces; nothing may be added after it.
    func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }
}
