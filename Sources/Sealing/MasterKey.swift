// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The key in the key file: it wraps data keys, and seals nothing else.
///
/// What is done with it is done with keys derived from it, one for each purpose (HMAC-SHA-256 of the purpose's name).
public final class MasterKey: Sendable {
    /// Four octets that tell it from others; they say nothing about the key.
    public let id: UInt32
    /// Sixteen octets that only this key gives: what a wrong key is known by before it is used.
    public let checkValue: [UInt8]
    private let wrapping: KeyBytes
    private let signing: KeyBytes

    /// The master key made of these octets.
    ///
    /// - Throws: `SealingError.engine` when libcrypto refuses.
    public init(_ key: KeyBytes) throws(SealingError) {
        id = try Self.derive("id", key).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        checkValue = Array(try Self.derive("check", key).prefix(16))
        wrapping = try Self.subkey("wrap", key)
        signing = try Self.subkey("sign", key)
    }

    /// Wraps a data key.
    ///
    /// - Parameters:
    ///   - key: the data key.
    ///   - context: whose key it is and what it is for; it unwraps with the same octets only.
    /// - Returns: the wrapped key.
    /// - Throws: `SealingError.engine`.
    public func wrap(_ key: DataKey, context: [UInt8]) throws(SealingError) -> [UInt8] {
        let cipher = try AuthenticatedCipher(wrapping)
        return try context.withOctets { (associated) throws(SealingError) in
            try Sealed.seal(
                KeyBytes.count, masterKey: id, dataKey: key.id, with: cipher,
                associated: associated
            ) { text in key.bytes.withUnsafeBytes { text.copyMemory(from: $0) } }
        }
    }

    /// Unwraps a data key.
    ///
    /// - Throws: `SealingError`: `unknownKey` when another master key wrapped it, `forged` when it is not what was
    ///   wrapped or is somebody else's.
    public func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws(SealingError) -> DataKey {
        guard let keys = Sealed.keys(of: wrapped) else { throw .malformed }
        guard keys.master == id else { throw .unknownKey }
        let cipher = try AuthenticatedCipher(wrapping)
        let bytes = try wrapped.withOctets { (octets) throws(SealingError) in
            try context.withOctets { (associated) throws(SealingError) in
                try Sealed.open(octets, with: cipher, associated: associated) { KeyBytes($0) }
            }
        }
        return try DataKey(id: keys.data, bytes)
    }

    /// The id of the master key that wrapped a data key; nil when no version of this program wrapped it.
    public static func id(of wrapped: [UInt8]) -> UInt32? { Sealed.keys(of: wrapped)?.master }

    /// 32 octets that only this key gives for that text: what a file is known to be ours by.
    ///
    /// - Throws: `SealingError.engine`.
    public func sign(_ text: [UInt8]) throws(SealingError) -> [UInt8] {
        try Self.hmac(text, signing)
    }

    /// Whether a signature is that of the text, in a time that does not depend on it.
    ///
    /// - Throws: `SealingError.engine`.
    public func verify(_ signature: [UInt8], of text: [UInt8]) throws(SealingError) -> Bool {
        let expected = try sign(text)
        guard signature.count == expected.count else { return false }
        return CRYPTO_memcmp(signature, expected, expected.count) == 0
    }

    /// Whether this is the key that gave the check value, in a time that does not depend on it.
    public func gives(_ value: [UInt8]) -> Bool {
        value.count == checkValue.count && CRYPTO_memcmp(value, checkValue, value.count) == 0
    }

    private static func subkey(
        _ purpose: String, _ key: KeyBytes
    ) throws(SealingError) -> KeyBytes {
        var octets = try derive(purpose, key)
        defer { Wiping.wipe(&octets) }
        guard let subkey = KeyBytes(octets) else { throw .engine(operation: "derive key") }
        return subkey
    }

    private static func derive(_ purpose: String, _ key: KeyBytes) throws(SealingError) -> [UInt8] {
        try hmac(Array("cookiesync master key 1 \(purpose)".utf8), key)
    }

    private static func hmac(_ text: [UInt8], _ key: KeyBytes) throws(SealingError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let isDone = key.withUnsafeBytes { octets in
            HMAC(
                EVP_sha256(), octets.baseAddress, Int32(octets.count), text, text.count, &digest,
                &count) != nil
        }
        guard isDone, count == 32 else { throw .engine(operation: "HMAC") }
        return digest
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its id, and nothing of its octets.
    public var description: String {
        let digits = String(id, radix: 16)
        return "<master key \(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)>"
    }
    /// Its id, and nothing of its octets.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The master key in use, and while a rotation goes on the one before it.
public struct KeyRing: Sendable {
    /// The key that wraps.
    public let current: MasterKey
    /// The key that may have wrapped, until the rotation is complete.
    public let previous: MasterKey?

    /// The keys in use; one that is given twice is one.
    public init(current: MasterKey, previous: MasterKey? = nil) {
        self.current = current
        self.previous = previous?.id == current.id ? nil : previous
    }

    /// The key with that id, if it is one of these.
    public func key(_ id: UInt32) -> MasterKey? {
        id == current.id ? current : id == previous?.id ? previous : nil
    }
}
