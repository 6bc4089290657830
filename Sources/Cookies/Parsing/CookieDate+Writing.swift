// SPDX-License-Identifier: Apache-2.0

extension CookieDate {
    /// Appends a time as servers write it: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 section 5.6.7).
    ///
    /// Whole seconds, rounded down, so that a copy of a cookie never outlives it. A time outside the years 1601 to 9999,
    /// which are those that `parse` reads, becomes the nearest inside.
    public static func append(_ time: Timestamp, to output: inout [UInt8]) {
        let seconds = min(max(time.seconds, earliest), latest)
        let day = seconds / secondsPerDay - (seconds % secondsPerDay < 0 ? 1 : 0)
        let second = Int(seconds - day * secondsPerDay)
        let (year, month, dayOfMonth) = civil(Int(day))
        // Day 0 was a Thursday.
        output.append(contentsOf: weekdays[(Int(day) % 7 + 7) % 7].utf8)
        output.append(contentsOf: ", ".utf8)
        appendPair(dayOfMonth, to: &output)
        output.append(ASCII.space)
        output.append(contentsOf: months[month - 1].utf8)
        output.append(ASCII.space)
        appendPair(year / 100, to: &output)
        appendPair(year % 100, to: &output)
        output.append(ASCII.space)
        appendPair(second / 3600, to: &output)
        output.append(ASCII.colon)
        appendPair(second / 60 % 60, to: &output)
        output.append(ASCII.colon)
        appendPair(second % 60, to: &output)
        output.append(contentsOf: " GMT".utf8)
    }

    private static let secondsPerDay: Int64 = 86_400
    /// 1601-01-01T00:00:00Z.
    private static let earliest: Int64 = -11_644_473_600
    /// 9999-12-31T23:59:59Z.
    private static let latest: Int64 = 253_402_300_799
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func appendPair(_ value: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "0") + UInt8(value / 10 % 10))
        output.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// The date of a day counted from 1970-01-01, from the year 0 on: the way back from `daysSinceEpoch`.
    ///
    /// An era is 400 years, 146 097 days, that begin on 1 March.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + shifted / 146_097 * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
