// SPDX-License-Identifier: Apache-2.0

import CCrypto
public import JarStorage

/// A SHA-256 over what is stored: equal where the content is, whichever engine has it.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    let octets: [UInt8]

    /// The hash of a jar's image.
    public init(_ image: JarImage) {
        var content = ImageOctets()
        content.put(image)
        self.init(content.octets)
    }

    /// The hash of a catalogue's image.
    public init(_ image: CatalogueImage) {
        var content = ImageOctets()
        content.put(image)
        self.init(content.octets)
    }

    init(_ content: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = EVP_Digest(content, content.count, &digest, nil, EVP_sha256(), nil)
        precondition(isDone == 1, "libcrypto has SHA-256")
        octets = digest
    }

    /// In hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
