// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Cookie dates (section 5.1.1)")
struct CookieDateTests {
    private func seconds(_ text: String) -> Int64? {
        CookieDate.parse(Array(text.utf8))?.seconds
    }

    @Test(
        "Dates",
        arguments: [
            ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894),
            ("Wednesday, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
            ("Wed Jun  9 10:18:14 2021", 1_623_233_894),
            ("10:18:14 9 june 2021", 1_623_233_894),
            ("9 JUNE 2021 10:18:14 PDT", 1_623_233_894),  // The zone is not looked at.
            ("2021 Jun 09 10:18:14", 1_623_233_894),  // Four digits can only be the year.
            ("1 Jan 1970 0:0:0", 0), ("1 Jan 70 0:0:0", 0), ("31 Dec 69 23:59:59", 3_155_759_999),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("29 Feb 2000 00:00:00", 951_782_400),
            ("31 Dec 9999 23:59:59", 253_402_300_799), ("19 Jan 2038 03:14:08", 2_147_483_648),
            ("7 Feb 2106 06:28:16", 4_294_967_296), ("1 Jan 2027 00:00:00x", 1_798_761_600),
            ("1x Jany 2027y 00:00:00", 1_798_761_600), ("1 Jan 027 00:00:00", 1_798_761_600),
        ] as [(String, Int64)])
    func dates(text: String, expected: Int64) {
        #expect(seconds(text) == expected)
    }

    @Test(
        "What is no date",
        arguments: [
            "", "Session", "0", "-1", "1 Jan 2027", "Jan 2027 00:00:00", "1 2027 00:00:00",
            "1 Jan 00:00:00", "0 Jan 2027 00:00:00", "32 Jan 2027 00:00:00",
            "29 Feb 2027 00:00:00", "29 Feb 2100 00:00:00", "31 Apr 2027 00:00:00",
            "1 Jan 1600 00:00:00", "1 Jan 2027 24:00:00", "1 Jan 2027 00:60:00",
            "1 Jan 2027 00:00:60", "1 Jan 20271 00:00:00", "1 Jan 2027 000:00:00",
            "1 Jan 2027 00:00:000", "1 Jan 2027 00:00", "1 Foo 2027 00:00:00",
            "1 Ja 2027 00:00:00",
        ])
    func noDates(text: String) { #expect(seconds(text) == nil) }

    @Test("Every day of a leap cycle counts one on from the day before")
    func everyDay() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov"]
        var previous: Int64?
        var days = 0
        for year in 1997...2004 {
            for month in months + ["Dec"] {
                for day in 1...31 {
                    guard let found = seconds("\(day) \(month) \(year) 00:00:00") else { continue }
                    if let previous { #expect(found == previous + 86_400) }
                    previous = found
                    days += 1
                }
            }
        }
        #expect(days == 8 * 365 + 2)
    }
}
