// SPDX-License-Identifier: Apache-2.0

/// The date format of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7).
enum HTTPDate {
    private static let days: StaticString = "ThuFriSatSunMonTueWed"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    private static let secondsPerDay: Int64 = 86_400

    /// Appends a time.
    ///
    /// - Parameters:
    ///   - seconds: Since 1970-01-01T00:00:00Z; years 1970 to 9999, others are moved to the nearest.
    ///   - output: Takes the 29 characters.
    static func append(_ seconds: Int64, to output: inout [UInt8]) {
        let time = max(0, min(seconds, 253_402_300_799))
        let day = time / secondsPerDay
        let second = Int(time % secondsPerDay)
        let date = civil(day)
        appendName(days, Int(day % 7), to: &output)
        output.append(", ")
        appendPair(date.day, to: &output)
        output.append(ASCII.space)
        appendName(months, date.month - 1, to: &output)
        output.append(ASCII.space)
        appendPair(date.year / 100, to: &output)
        appendPair(date.year % 100, to: &output)
        output.append(ASCII.space)
        appendPair(second / 3600, to: &output)
        output.append(ASCII.colon)
        appendPair(second / 60 % 60, to: &output)
        output.append(ASCII.colon)
        appendPair(second % 60, to: &output)
        output.append(" GMT")
    }

    /// The Gregorian date of a day number, counted from 1970-01-01, by eras of 400 years that begin on 1 March.
    private static func civil(_ day: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(day) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func appendName(_ names: StaticString, _ index: Int, to output: inout [UInt8]) {
        output.append(names.bytes.span.extracting((3 * index)..<(3 * index + 3)))
    }

    private static func appendPair(_ value: Int, to output: inout [UInt8]) {
        output.append(ASCII.zero + UInt8(value / 10 % 10))
        output.append(ASCII.zero + UInt8(value % 10))
    }
}
