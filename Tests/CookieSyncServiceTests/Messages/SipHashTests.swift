// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncService

@Suite("SipHash-1-3")
struct SipHashTests {
    private let key = SipHash.Key(first: 0x0706_0504_0302_0100, second: 0x0f0e_0d0c_0b0a_0908)

    private func hash(_ words: [UInt64]) -> UInt64 {
        var hash = SipHash(key)
        for word in words { hash.combine(word) }
        return hash.finish()
    }

    // By an implementation that gives the paper's vectors with two and four rounds: the input is 00 01 02 ... of each
    // length.
    @Test(
        "gives the reference vectors",
        arguments: [
            ([], 0xabac_0158_050f_c4dc), ([0x0706_0504_0302_0100], 0x3690_9511_8d29_9a8e),
        ] as [([UInt64], UInt64)])
    func vectors(_ words: [UInt64], expected: UInt64) {
        #expect(hash(words) == expected)
    }
}
