// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("The gzip coding")
struct GzipTests {
    private let text = Array(String(repeating: "cookies are kept here; ", count: 400).utf8)

    private func compress(_ bytes: [UInt8], _ deflater: GzipDeflater = GzipDeflater(level: 6))
        -> [UInt8]
    {
        var output: [UInt8] = []
        _ = deflater.compress(bytes.span, into: &output)
        return output
    }

    private func inflate(
        _ pieces: [ArraySlice<UInt8>], limit: Int = 1 << 20, ratio: Int = 100
    ) -> Result<[UInt8], HTTPFault> {
        let inflater = GzipInflater(limit: limit, ratio: ratio)
        var output: [UInt8] = []
        do throws(HTTPFault) {
            for piece in pieces { try inflater.inflate(Array(piece).span, into: &output) }
            try inflater.finish()
            return .success(output)
        } catch {
            return .failure(error)
        }
    }

    @Test("what is compressed unpacks to the same, at every split, again and again")
    func roundTrip() {
        let deflater = GzipDeflater(level: 1)
        for content in [[], [0x61], text, text.reversed()] as [[UInt8]] {
            let coded = compress(content, deflater)
            for split in Splits.of(coded) { #expect(inflate(split) == .success(content)) }
        }
        #expect(compress(text).count < text.count / 4)
    }

    @Test("damage, a missing end and bytes behind the end are refused")
    func broken() {
        let coded = compress(text)
        var badSum = coded
        badSum[coded.count - 8] ^= 1
        var badLength = coded
        badLength[coded.count - 1] ^= 1
        var badData = coded
        badData[20] ^= 0xFF
        for bytes in [
            badSum, badLength, badData, coded + [0], coded + coded, Array(coded.dropLast()), [0x1F],
            [0x61, 0x62],
        ] as [[UInt8]] {
            for split in Splits.of(bytes, every: 20) {
                #expect(inflate(split) == .failure(.malformedContent))
            }
        }
        #expect(inflate([]) == .failure(.malformedContent))
    }

    @Test("the limit holds at n and fails at n + 1, and a bomb is stopped by its ratio")
    func limits() {
        let coded = compress(text)[...]
        #expect(inflate([coded], limit: text.count) == .success(text))
        #expect(inflate([coded], limit: text.count - 1) == .failure(.bodyTooLarge))
        let bomb = compress([UInt8](repeating: 0, count: 8 << 20))[...]
        #expect(inflate([bomb], limit: 16 << 20) == .failure(.bodyTooLarge))
        #expect(
            inflate([bomb], limit: 16 << 20, ratio: 2000)
                == .success([UInt8](repeating: 0, count: 8 << 20)))
        let small = compress([UInt8](repeating: 0, count: 64 << 10))[...]
        #expect(inflate([small]) == .success([UInt8](repeating: 0, count: 64 << 10)))
    }
}
