// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The 32 octets of a key.
///
/// They lie in one place of memory, which is wiped when the last owner lets go, and cannot be printed: `description`,
/// `debugDescription` and reflection show a placeholder.
///
/// `@unchecked Sendable`: the octets are written by the initialiser alone, before anyone else sees the object.
public final class KeyBytes: @unchecked Sendable {
    /// How many octets a key has.
    public static let count = 32

    private let octets: UnsafeMutableRawBufferPointer

    private init() {
        octets = .allocate(byteCount: Self.count, alignment: 16)
        octets.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        Wiping.wipe(octets)
        octets.deallocate()
    }

    /// A key of fresh random octets.
    ///
    /// - Throws: `SealingError.engine` when there is no randomness.
    public static func random() throws(SealingError) -> KeyBytes {
        let key = KeyBytes()
        try Randomness.fill(key.octets)
        return key
    }

    /// A key of these octets; nil when they are not 32.
    public convenience init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init()
        octets.copyBytes(from: bytes)
    }

    /// Lends the octets.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(octets))
    }
}

extension KeyBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<key>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites secrets in a way that no optimiser takes out.
public enum Wiping {
    /// Wipes a piece of memory.
    public static func wipe(_ octets: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(octets.baseAddress, octets.count)
    }

    /// Wipes an array that nobody else holds.
    public static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { wipe($0) }
    }
}

/// Random octets of libcrypto's generator.
enum Randomness {
    /// Fills a piece of memory.
    static func fill(_ octets: UnsafeMutableRawBufferPointer) throws(SealingError) {
        guard let start = octets.baseAddress, let count = Int32(exactly: octets.count),
            RAND_bytes(start.assumingMemoryBound(to: UInt8.self), count) == 1
        else { throw .engine(operation: "random octets") }
    }
}
