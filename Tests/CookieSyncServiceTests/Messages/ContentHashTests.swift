// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncService

@Suite("The hash of an answer's content")
struct ContentHashTests {
    private let hash = ContentHash(key: SipHash.Key(first: 1, second: 2))

    private func hash(_ content: [UInt8], _ first: UInt64 = 0, _ second: UInt64 = 0) -> UInt64 {
        content.withUnsafeBufferPointer { hash(first, second, $0) }
    }

    @Test("differs with each octet, at the ends of words and blocks too")
    func everyOctetCounts() {
        for count in [1, 7, 8, 15, 16, 17, 31, 219, 1_023, 1_024, 1_025, 1_040, 3_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var seen: Set = [hash(content)]
            for index in content.indices {
                var changed = content
                changed[index] ^= 1
                seen.insert(hash(changed))
            }
            #expect(seen.count == count + 1, "\(count) octets")
        }
    }

    @Test("differs with the length, where all octets are zero")
    func lengthCounts() {
        #expect(Set((0...2_100).map { hash([UInt8](repeating: 0, count: $0)) }).count == 2_101)
    }

    @Test(
        "differs when octets change places, within a pair of words, between pairs and between blocks"
    )
    func placesCount() {
        var content = [UInt8](repeating: 0, count: 2_048)
        var seen: Set<UInt64> = []
        for place in stride(from: 0, to: content.count, by: 8) {
            content[place] = 1
            seen.insert(hash(content))
            content[place] = 0
        }
        #expect(seen.count == 256)
    }

    @Test("differs with the words before the content, and with the key")
    func wordsAndKeyCount() {
        let other = ContentHash(key: SipHash.Key(first: 1, second: 3))
        let content = Array("content".utf8)
        let of = content.withUnsafeBufferPointer { other(0, 0, $0) }
        #expect(Set([hash(content), hash(content, 1), hash(content, 0, 1), of]).count == 4)
    }
}
