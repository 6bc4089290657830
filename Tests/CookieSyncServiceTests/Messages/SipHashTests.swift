// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncService

@Suite("SipHash-1-3")
struct SipHashTests {
    private let key = SipHash.Key(first: 0x0706_0504_0302_0100, second: 0x0f0e_0d0c_0b0a_0908)

    private func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash = SipHash(key)
        bytes.withUnsafeBufferPointer { hash.combine($0) }
        return hash.finish()
    }

    // By an implementation that gives the paper's vectors with two and four rounds: the input is 00 01 02 ... of each
    // length.
    @Test(
        "gives the reference vectors",
        arguments: [
            (0, 0xabac_0158_050f_c4dc), (1, 0xc9f4_9bf3_7d57_ca93), (7, 0xd392_7d98_9bb1_1140),
            (8, 0x3690_9511_8d29_9a8e), (15, 0xd320_d86d_2a51_9956),
        ] as [(Int, UInt64)])
    func vectors(_ count: Int, expected: UInt64) {
        #expect(hash((0..<count).map { UInt8($0) }) == expected)
    }

    @Test("does not depend on how the input is cut")
    func pieces() {
        let bytes = (0..<100).map { UInt8($0) }
        for cut in 0...100 {
            var hash = SipHash(key)
            bytes[..<cut].withUnsafeBufferPointer { hash.combine($0) }
            bytes[cut...].withUnsafeBufferPointer { hash.combine($0) }
            #expect(hash.finish() == self.hash(bytes))
        }
    }
}
