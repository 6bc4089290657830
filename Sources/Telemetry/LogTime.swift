// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A moment of a log line: UTC, to the millisecond.
struct LogTime: Sendable {
    let seconds: Int
    let milliseconds: Int

    /// The wall clock's now.
    static func now() -> LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    /// Appends `2026-11-30T07:04:25.123Z`, by the proleptic Gregorian calendar.
    func append(to line: inout [UInt8]) {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        let (year, month, day) = Self.civil(days)
        append(year, digits: 4, to: &line)
        line.append(UInt8(ascii: "-"))
        append(month, digits: 2, to: &line)
        line.append(UInt8(ascii: "-"))
        append(day, digits: 2, to: &line)
        line.append(UInt8(ascii: "T"))
        append(second / 3_600, digits: 2, to: &line)
        line.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2, to: &line)
        line.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2, to: &line)
        line.append(UInt8(ascii: "."))
        append(milliseconds, digits: 3, to: &line)
        line.append(UInt8(ascii: "Z"))
    }

    /// Year, month and day of a count of days since 1970-01-01.
    ///
    /// The year is counted from 1 March, so that the
    /// leap day is the last of its year, in eras of 400 years (146 097 days).
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private func append(_ number: Int, digits: Int, to line: inout [UInt8]) {
        let text = String(number)
        line.append(
            contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - text.utf8.count)))
        line.append(contentsOf: text.utf8)
    }
}
