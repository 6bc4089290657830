// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("RFC 3339 times")
struct RFC3339Tests {
    @Test(
        "are read to the millisecond, offsets applied",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-30T12:00:00Z", 1_796_040_000_000),
            ("2026-11-30t12:00:00.5z", 1_796_040_000_500),
            ("2026-11-30T12:00:00.1239999999Z", 1_796_040_000_123),
            ("2026-11-30T13:30:00+01:30", 1_796_040_000_000),
            ("2026-11-30T02:00:00-10:00", 1_796_040_000_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1969-12-31T23:59:59Z", -1_000),
        ] as [(String, Int64)])
    func parses(_ text: String, milliseconds: Int64) {
        #expect(RFC3339.parse(Array(text.utf8)) == milliseconds)
    }

    @Test(
        "that do not exist are refused, not rolled over",
        arguments: [
            "", "2026-02-30T00:00:00Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-11-31T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0100", "26-01-01T00:00:00Z",
            "2026-01-01T00:00:00Zx", "+026-01-01T00:00:00Z", "2026-1-01T00:00:00Z", "1796040000",
        ])
    func refuses(_ text: String) {
        #expect(RFC3339.parse(Array(text.utf8)) == nil)
    }

    @Test("are written in UTC and read back the same, over four thousand years")
    func roundTrip() {
        for step in stride(
            from: Int64(-62_167_219_200_000), through: 253_402_300_799_999, by: 777_777_777_777)
        {
            var text: [UInt8] = []
            RFC3339.append(milliseconds: step, to: &text)
            #expect(RFC3339.parse(text) == step)
        }
    }

    @Test("out of the calendar's range are written as its ends")
    func clamps() {
        var text: [UInt8] = []
        RFC3339.append(milliseconds: .max, to: &text)
        text.append(UInt8(ascii: " "))
        RFC3339.append(milliseconds: .min, to: &text)
        #expect(
            String(decoding: text, as: UTF8.self) == "9999-12-31T23:59:59.999Z 0000-01-01T00:00:00Z"
        )
    }
}
