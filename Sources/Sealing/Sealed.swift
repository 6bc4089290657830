// SPDX-License-Identifier: Apache-2.0

/// The form of everything that is sealed.
///
///     version (1)  id of the master key (4)  id of the data key (4)  nonce (12)  ciphertext  tag (16)
///
/// Numbers have their highest octet first. The nine octets before the nonce are authenticated too.
enum Sealed {
    static let version: UInt8 = 1
    static let headerLength = 9
    static let overhead =
        headerLength + AuthenticatedCipher.nonceLength
        + AuthenticatedCipher.tagLength

    private static var textStart: Int { headerLength + AuthenticatedCipher.nonceLength }

    /// Seals octets that are padded already.
    static func seal(
        _ length: Int, masterKey: UInt32, dataKey: UInt32, with cipher: AuthenticatedCipher,
        associated: UnsafeRawBufferPointer, fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(SealingError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: overhead + length)
        sealed[0] = version
        for (offset, id) in [(1, masterKey), (5, dataKey)] {
            for index in 0..<4 {
                sealed[offset + index] = UInt8(truncatingIfNeeded: id >> UInt32(24 - 8 * index))
            }
        }
        try sealed.withMutableOctets { (all) throws(SealingError) in
            let nonce = UnsafeMutableRawBufferPointer(rebasing: all[headerLength..<textStart])
            try Randomness.fill(nonce)
            let text = UnsafeMutableRawBufferPointer(
                rebasing: all[textStart..<(textStart + length)])
            fill(text)
            try cipher.encrypt(
                text, nonce: UnsafeRawBufferPointer(nonce),
                associated: [UnsafeRawBufferPointer(rebasing: all[..<headerLength]), associated],
                tag: UnsafeMutableRawBufferPointer(rebasing: all[(textStart + length)...]))
        }
        return sealed
    }

    /// Opens octets, and lends what was in them for as long as `body` runs; then it is wiped.
    static func open<Result>(
        _ sealed: UnsafeRawBufferPointer, with cipher: AuthenticatedCipher,
        associated: UnsafeRawBufferPointer, body: (UnsafeRawBufferPointer) -> Result?
    ) throws(SealingError) -> Result {
        let length = sealed.count - overhead
        guard length >= 0, sealed[0] == version else { throw .malformed }
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer {
            Wiping.wipe(text)
            text.deallocate()
        }
        text.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: sealed[textStart..<(textStart + length)]))
        try cipher.decrypt(
            text, nonce: UnsafeRawBufferPointer(rebasing: sealed[headerLength..<textStart]),
            associated: [UnsafeRawBufferPointer(rebasing: sealed[..<headerLength]), associated],
            tag: UnsafeRawBufferPointer(rebasing: sealed[(textStart + length)...]))
        guard let result = body(UnsafeRawBufferPointer(text)) else { throw .malformed }
        return result
    }

    /// The ids of the two keys; nil when these are no sealed octets of this version.
    static func keys(of sealed: [UInt8]) -> (master: UInt32, data: UInt32)? {
        guard sealed.count >= overhead, sealed[0] == version else { return nil }
        func id(at offset: Int) -> UInt32 {
            sealed[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return (id(at: 1), id(at: 5))
    }
}
