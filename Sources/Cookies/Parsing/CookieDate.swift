// SPDX-License-Identifier: Apache-2.0

/// Cookie dates (section 5.1.1): no format at all, but four tokens in any order among delimiters.
///
/// The first token that looks like a time, a day of month, a month or a year is taken as that;
/// everything else (weekday, time zone, noise) is passed over, and the time is UTC.
public enum CookieDate {
    /// The time that the octets denote; nil when one of the four parts is missing or out of range,
    /// or when there is no such day.
    public static func parse(_ bytes: [UInt8]) -> Timestamp? {
        parse(bytes[...])
    }

    /// The time that a part of a longer text denotes.
    public static func parse(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
        var parts = Parts()
        for token in bytes.split(whereSeparator: isDelimiter) {
            parts.take(token)
        }
        return parts.timestamp
    }

    /// The grammar's delimiter: `%x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E`.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: return true
        default: return false
        }
    }
}

/// What has been found so far.
private struct Parts {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?

    /// Takes a token as the first of the four things that it looks like and that is still missing.
    mutating func take(_ token: ArraySlice<UInt8>) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token, digits: 2...4) {
            year = found
        }
    }

    var timestamp: Timestamp? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, (1...Self.days(in: month, of: year)).contains(day),
            time.hour <= 23, time.minute <= 59, time.second <= 59
        else { return nil }
        let days = Self.daysSinceEpoch(year: year, month: month, day: day)
        let seconds = (days * 24 + time.hour) * 3600 + time.minute * 60 + time.second
        return Timestamp(seconds: Int64(seconds))
    }

    /// The grammar's time: `1*2DIGIT ":" 1*2DIGIT ":" 1*2DIGIT [ non-digit *OCTET ]`.
    private static func time(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        let fields = token.split(
            separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(ASCII.isDigit),
            fields[1].allSatisfy(ASCII.isDigit),
            let hour = number(fields[0], digits: 1...2),
            let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// So many digits at the front, then the end or something that is no digit.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let front = token.prefix(digits.upperBound + 1).prefix(while: ASCII.isDigit)
        guard digits.contains(front.count) else { return nil }
        return front.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The three letters that a token begins with.
    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let letters = ASCII.lowercased(token.prefix(3))
        return months.firstIndex { letters.elementsEqual($0.utf8) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts from 0000-03-01, so that the leap day is the last of its year; 719 468 days lie
    /// before 1970.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        return shifted * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1 - 719_468
    }
}
