// SPDX-License-Identifier: Apache-2.0

/// Ways to cut input into pieces: whole, at every point if it is short and at some if not, and byte by byte.
enum Splits {
    static func of(_ bytes: [UInt8], every limit: Int = 600) -> [[ArraySlice<UInt8>]] {
        let step = max(1, bytes.count / limit)
        let twoPieces = stride(from: 1, to: max(1, bytes.count), by: step).map {
            [bytes[..<$0], bytes[$0...]]
        }
        let single = bytes.indices.map { bytes[$0...$0] }
        return [[bytes[...]]] + twoPieces + [single]
    }
}
