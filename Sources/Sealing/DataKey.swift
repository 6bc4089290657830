// SPDX-License-Identifier: Apache-2.0

/// The key that a tenant's values are sealed with.
///
/// A value is padded to a multiple of 64 octets, so that what is stored says little about its length: an octet 0x80,
/// then zeros. Not `Sendable`: one thread at a time uses it.
public final class DataKey {
    /// Its number in its tenant.
    public let id: UInt32
    let bytes: KeyBytes
    private let cipher: AuthenticatedCipher

    private static let bucket = 64
    private static let mark: UInt8 = 0x80

    /// How often one key may seal: nine tenths of 2^32, at which random nonces would become too likely to repeat.
    public static let sealLimit: Int64 = (1 << 32) / 10 * 9

    /// The key with these octets.
    ///
    /// - Throws: `SealingError.engine` when libcrypto refuses.
    public init(id: UInt32, _ bytes: KeyBytes) throws(SealingError) {
        self.id = id
        self.bytes = bytes
        cipher = try AuthenticatedCipher(bytes)
    }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - value: what is sealed.
    ///   - masterKey: the id of the master key that this key is wrapped with at the time.
    ///   - associated: everything that the value belongs to; it opens with the same octets only.
    /// - Returns: what is stored.
    /// - Throws: `SealingError.engine`.
    /// - Complexity: O(*n*), one allocation.
    public func seal(
        _ value: [UInt8], masterKey: UInt32, associated: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        let length = (value.count / Self.bucket + 1) * Self.bucket
        return try associated.withOctets { (place) throws(SealingError) in
            try Sealed.seal(
                length, masterKey: masterKey, dataKey: id, with: cipher, associated: place
            ) { text in
                text.copyBytes(from: value)
                text[value.count] = Self.mark
            }
        }
    }

    /// Opens what `seal` made of a value.
    ///
    /// - Throws: `SealingError`, when it is anything else, or belongs to something else.
    public func open(
        _ sealed: [UInt8], associated: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard Self.id(of: sealed) == id else { throw .unknownKey }
        return try sealed.withOctets { (octets) throws(SealingError) in
            try associated.withOctets { (place) throws(SealingError) in
                try Sealed.open(octets, with: cipher, associated: place) { text in
                    guard let end = text.lastIndex(where: { $0 != 0 }), text[end] == Self.mark
                    else { return nil }
                    return Array(text[..<end])
                }
            }
        }
    }

    /// The id of the key that sealed these octets; nil when no version of this program sealed them.
    public static func id(of sealed: [UInt8]) -> UInt32? { Sealed.keys(of: sealed)?.data }
}

extension DataKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its number, and nothing of its octets.
    public var description: String { "<data key \(id)>" }
    /// Its number, and nothing of its octets.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
