// SPDX-License-Identifier: Apache-2.0

/// Times as RFC 3339 writes them, to the millisecond.
///
/// Read strictly: a day that the month does not have, hour 24 and leap seconds are no times; an offset is
/// applied; digits after the millisecond are dropped. Written in UTC, the fraction only where there is one.
public enum RFC3339 {
    /// Milliseconds since the Unix epoch, or nil when the text is no such time.
    public static func parse(_ text: [UInt8]) -> Int64? {
        var reader = Reader(text: text[...])
        guard let year = reader.number(4), reader.take("-"),
            let month = reader.number(2), 1...12 ~= month, reader.take("-"),
            let day = reader.number(2), 1...daysInMonth(year, month) ~= day,
            reader.take("T") || reader.take("t"),
            let hour = reader.number(2), hour < 24, reader.take(":"),
            let minute = reader.number(2), minute < 60, reader.take(":"),
            let second = reader.number(2), second < 60,
            let fraction = reader.fraction(), let offset = reader.offsetMinutes(),
            reader.text.isEmpty
        else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1000 + fraction
    }

    /// Appends the text of a time.
    ///
    /// One outside the years 0000 to 9999 becomes the nearest inside.
    public static func append(milliseconds: Int64, to output: inout [UInt8]) {
        output.append(addingCapacity: maximumBytes) { append(milliseconds: milliseconds, to: &$0) }
    }

    /// How many octets a time takes at most.
    public static let maximumBytes = 24

    /// Appends the text of a time where there is room for it.
    public static func append(milliseconds: Int64, to output: inout OutputSpan<UInt8>) {
        let time = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let day = time / millisecondsPerDay - (time % millisecondsPerDay < 0 ? 1 : 0)
        let rest = time - day * millisecondsPerDay
        let (year, month, dayOfMonth) = civil(day)
        let second = rest / 1000
        appendPair(year / 100, to: &output)
        appendPair(year % 100, to: &output)
        output.append(UInt8(ascii: "-"))
        appendPair(month, to: &output)
        output.append(UInt8(ascii: "-"))
        appendPair(dayOfMonth, to: &output)
        output.append(UInt8(ascii: "T"))
        appendPair(second / 3600, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPair(second / 60 % 60, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPair(second % 60, to: &output)
        let fraction = rest % 1000
        if fraction != 0 {
            output.append(UInt8(ascii: "."))
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / 100))
            appendPair(fraction % 100, to: &output)
        }
        output.append(UInt8(ascii: "Z"))
    }

    private static let millisecondsPerDay: Int64 = 86_400_000

    @inline(__always)
    private static func appendPair(_ value: Int64, to output: inout OutputSpan<UInt8>) {
        // Below 100, and so cheap to divide.
        let pair = UInt32(truncatingIfNeeded: value)
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair / 10))
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair % 10))
    }

    private static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    // Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March, so that the leap day is
    // the last one; an era is 400 years of 146 097 days.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = (month <= 2 ? year - 1 : year) + 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (shifted / 400 - 1) * 146_097 + dayOfEra - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468 + 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + (shifted / 146_097 - 1) * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

private struct Reader {
    var text: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text.removeFirst()
        return true
    }

    mutating func digit() -> Int64? {
        guard let byte = text.first, byte &- UInt8(ascii: "0") < 10 else { return nil }
        text.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Milliseconds; 0 when there is no fraction, nil when there is a point without digits.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        guard let first = digit() else { return nil }
        var value = first * 100
        var weight: Int64 = 10
        while let digit = digit() {
            value += digit * weight
            weight /= 10
        }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
