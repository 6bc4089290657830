// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cookies

@Suite("The hash of tables in memory")
struct TableHashTests {
    private func hash(_ octets: [UInt8], after start: UInt64 = 0) -> UInt64 {
        octets.withUnsafeBufferPointer { TableHash.shared($0, after: start) }
    }

    @Test("differs with each octet, with the length and with what came before")
    func everyOctetCounts() {
        for count in 0...70 {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            var seen: Set = [hash(octets), hash(octets + [0]), hash(octets, after: 1)]
            for index in octets.indices {
                var changed = octets
                changed[index] ^= 0x80
                seen.insert(hash(changed))
            }
            #expect(seen.count == count + 3, "\(count) octets")
        }
    }

    @Test("is the same for the same octets")
    func isStable() {
        #expect(hash(Array("www.example.com".utf8)) == hash(Array("www.example.com".utf8)))
    }

    @Test("spreads names that differ by a number over both ends of a word")
    func spreads() {
        let hashes = (0..<4_096).map { hash(Array("host\($0).example.org".utf8)) }
        for shift: UInt64 in [0, 60] {
            var counts = [Int](repeating: 0, count: 16)
            for hash in hashes { counts[Int(hash >> shift & 15)] += 1 }
            #expect(counts.allSatisfy { 128...384 ~= $0 }, "\(counts)")
        }
    }
}
