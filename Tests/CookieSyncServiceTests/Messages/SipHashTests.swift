// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncService

@Suite("SipHash-2-4")
struct SipHashTests {
    private let key = SipHash.Key(first: 0x0706_0504_0302_0100, second: 0x0f0e_0d0c_0b0a_0908)

    private func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash = SipHash(key)
        bytes.withUnsafeBufferPointer { hash.combine($0) }
        return hash.finish()
    }

    // From the appendix of the paper and its reference implementation: the input is 00 01 02 ... of each length.
    @Test(
        "gives the reference vectors",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
            (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
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
