// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Comparing runs of octets")
struct OctetsTests {
    @Test("every octet counts, wherever it lies", arguments: 0...40)
    func everyOctetCounts(count: Int) {
        let octets = (0..<count).map { UInt8($0) }
        octets.withUnsafeBufferPointer { run in
            #expect(run.isSame(as: Array(octets)))
            #expect(!run.isSame(as: octets + [0]))
            for index in octets.indices {
                var other = octets
                other[index] ^= 0x80
                #expect(!run.isSame(as: other), "octet \(index)")
            }
        }
    }
}
