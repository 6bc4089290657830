// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal digits of numbers, eight at a time.
enum Hexadecimal {
    /// The eight digits of a number, in small letters; the first digit is the lowest byte.
    ///
    /// The digits are computed side by side in one word, without a branch or a table.
    static func digits(_ number: UInt32) -> UInt64 {
        // From the bytes of the number in writing order, each gets a lane of 16 bits...
        var lanes = UInt64(number.byteSwapped)
        lanes = (lanes | lanes << 16) & 0x0000_FFFF_0000_FFFF
        lanes = (lanes | lanes << 8) & 0x00FF_00FF_00FF_00FF
        // ... and each half of a byte one of 8.
        let nibbles =
            lanes >> 4 & 0x000F_000F_000F_000F | (lanes & 0x000F_000F_000F_000F) << 8
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let distance = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* distance
    }
}
