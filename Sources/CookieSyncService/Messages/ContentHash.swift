// SPDX-License-Identifier: Apache-2.0

/// A keyed hash of an answer's content: each KiB is drawn together to 128 bits with a key of its own length, and SipHash-1-3
/// makes 64 bits of those that nobody without the key can foretell.
///
/// What draws together is NH, of UMAC (RFC 4418) and in words of 64 bits of VMAC (Krovetz and Dai, 2007): for two contents of
/// one length, the key makes them come together with a chance of 2^-64 at most. It takes a fifth of what SipHash takes over
/// all octets, and tells nothing by itself, as it is never shown.
struct ContentHash: Sendable {
    private static let blockBytes = 1024

    private let key: SipHash.Key
    /// Words for one block.
    private let words: [UInt64]

    /// A hash whose long key is drawn out of a short one.
    init(key: SipHash.Key) {
        self.key = key
        words = (0..<UInt64(Self.blockBytes / 8)).map { place in
            var hash = SipHash(key)
            hash.combine(place)
            return hash.finish()
        }
    }

    /// The hash of some words and octets.
    ///
    /// - Complexity: O(n), without a heap allocation.
    func callAsFunction(
        _ first: UInt64, _ second: UInt64, _ content: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        var hash = SipHash(key)
        hash.combine(first)
        hash.combine(second)
        hash.combine(UInt64(content.count))
        let raw = UnsafeRawBufferPointer(content)
        words.withUnsafeBufferPointer { words in
            var start = 0
            while start < raw.count {
                let end = min(start + Self.blockBytes, raw.count)
                let (high, low) = Self.drawTogether(
                    UnsafeRawBufferPointer(rebasing: raw[start..<end]), words)
                hash.combine(high)
                hash.combine(low)
                start = end
            }
        }
        return hash.finish()
    }

    /// NH of a block: the sum of the products of its words in pairs, each with a word of the key added, modulo 2^128.
    ///
    /// What is missing to a pair counts as zeros; the length is hashed elsewhere.
    private static func drawTogether(
        _ block: UnsafeRawBufferPointer, _ words: UnsafeBufferPointer<UInt64>
    ) -> (high: UInt64, low: UInt64) {
        precondition(block.count <= words.count * 8, "more than a block")
        var sum = (high: UInt64(0), low: UInt64(0))
        var offset = 0
        while offset &+ 16 <= block.count {
            add(
                block.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian,
                block.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self).littleEndian,
                words[offset >> 3], words[offset >> 3 &+ 1], to: &sum)
            offset &+= 16
        }
        guard offset < block.count else { return sum }
        var last = (UInt64(0), UInt64(0))
        for index in offset..<block.count {
            let byte = UInt64(block[index]) << UInt64(8 * (index & 7))
            if index & 8 == 0 { last.0 |= byte } else { last.1 |= byte }
        }
        add(last.0, last.1, words[offset >> 3], words[offset >> 3 &+ 1], to: &sum)
        return sum
    }

    @inline(__always)
    private static func add(
        _ first: UInt64, _ second: UInt64, _ firstKey: UInt64, _ secondKey: UInt64,
        to sum: inout (high: UInt64, low: UInt64)
    ) {
        let product = (first &+ firstKey).multipliedFullWidth(by: second &+ secondKey)
        let low = sum.low.addingReportingOverflow(product.low)
        sum.low = low.partialValue
        sum.high = sum.high &+ product.high &+ (low.overflow ? 1 : 0)
    }
}
