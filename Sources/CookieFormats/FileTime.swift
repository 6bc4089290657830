// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The times that files have as text: ISO 8601 as JavaScript, Java and Python write it, the description of an
/// `NSDate` (`2027-06-01 00:00:00 +0000`, with `AM` or `PM` on some phones), HTTP dates and others in words
/// (`Tue Jun 01 2027 02:00:00 GMT+0200`, `Jun 1, 2027 at 12:00:00 AM`), and seconds since 1970.
enum FileTime {
    /// The expiry that a number gives; nil, a session cookie, for 0 and -1.
    static func expiry(_ seconds: Double) -> Timestamp? {
        seconds == 0 || seconds == -1 ? nil : Timestamp(fileSeconds: seconds)
    }

    /// The expiry that a text gives; nil, a session cookie, for nothing, 0, -1 and the word `session`.
    static func expiry(_ text: [UInt8]) throws(EntryFault) -> Timestamp? {
        guard !text.isEmpty, String(decoding: text, as: UTF8.self).lowercased() != "session" else {
            return nil
        }
        if let seconds = decimal(text) { return expiry(seconds) }
        guard let time = parse(text) else { throw .invalidExpiry }
        return time
    }

    /// The time, or nil when the text is none of these.
    ///
    /// One without a zone is UTC; a year of more than four digits is as far away as can be.
    static func parse(_ text: [UInt8]) -> Timestamp? {
        if let seconds = decimal(text) { return Timestamp(fileSeconds: seconds) }
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard digits.count >= 4, text.dropFirst(digits.count).first == UInt8(ascii: "-") else {
            return inWords(text)
        }
        guard digits.count == 4 else { return Timestamp(milliseconds: 253_402_300_799_999) }
        return RFC3339.parse(canonical(text)).map(Timestamp.init(milliseconds:))
    }

    /// The text as RFC 3339 would have it.
    private static func canonical(_ text: [UInt8]) -> [UInt8] {
        var date = Array(text.prefix(10))
        var rest = text.dropFirst(10)
        if rest.isEmpty { return date + Array("T00:00:00Z".utf8) }
        date.append(UInt8(ascii: "T"))
        rest = rest.dropFirst()
        let clock = rest.prefix {
            UInt8(ascii: "0")...UInt8(ascii: ":") ~= $0 || $0 == UInt8(ascii: ".")
        }
        var zone = rest.dropFirst(clock.count).filter { $0 != 0x20 }
        let half = zone.prefix(2)
        let isAfternoon = half.elementsEqual("PM".utf8)
        if isAfternoon || half.elementsEqual("AM".utf8) {
            zone.removeFirst(2)
            date += wholeDay(clock, isAfternoon: isAfternoon)
        } else {
            // Hours and minutes alone have no seconds.
            date += clock.count == 5 ? Array(clock) + Array(":00".utf8) : Array(clock)
        }
        if zone.isEmpty || zone.elementsEqual("UTC".utf8) || zone.elementsEqual("GMT".utf8) {
            zone = [UInt8(ascii: "Z")]
        }
        if zone.count == 5 { zone.insert(UInt8(ascii: ":"), at: 3) }
        if zone.count == 3 { zone += Array(":00".utf8) }
        return date + zone
    }

    /// A cookie date, with two things that those pass over: the half of the day, and how far from UTC it is.
    private static func inWords(_ text: [UInt8]) -> Timestamp? {
        let (plain, offset) = withoutOffset(text)
        guard let time = CookieDate.parse(plain) else { return nil }
        let words = plain.split { !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20) }
            .map { String(decoding: $0, as: UTF8.self).uppercased() }
        let hour = time.seconds / 3600 % 24
        var shift = -offset
        if words.contains("PM"), 1...11 ~= hour { shift += 12 * 3600 }
        if words.contains("AM"), hour == 12 { shift -= 12 * 3600 }
        return time.adding(seconds: shift)
    }

    /// A text without the offset from UTC after its time, such as `+0200` or `-07:00`, and that in seconds.
    private static func withoutOffset(_ text: [UInt8]) -> (text: [UInt8], seconds: Int64) {
        guard let clock = text.firstIndex(of: UInt8(ascii: ":")),
            let sign = text[clock...].firstIndex(where: {
                $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
            })
        else { return (text, 0) }
        let offset = text[(sign + 1)...].prefix {
            UInt8(ascii: "0")...UInt8(ascii: ":") ~= $0
        }
        let digits = offset.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4, let number = DecimalDigits.parse(digits), number % 100 < 60 else {
            return (text, 0)
        }
        let seconds = Int64(number / 100 * 3600 + number % 100 * 60)
        return (
            text[..<sign] + [0x20] + text[(sign + 1 + offset.count)...],
            text[sign] == UInt8(ascii: "-") ? -seconds : seconds
        )
    }

    /// A time of half a day, such as `12:00:00` or `1:00:00`, as one of the whole day.
    private static func wholeDay(_ clock: ArraySlice<UInt8>, isAfternoon: Bool) -> [UInt8] {
        let hour = clock.prefix { $0 != UInt8(ascii: ":") }
        guard let number = DecimalDigits.parse(hour), 1...12 ~= number else { return [] }
        let whole = Int(number) % 12 + (isAfternoon ? 12 : 0)
        return Array((whole < 10 ? "0\(whole)" : "\(whole)").utf8) + clock.dropFirst(hour.count)
    }

    /// Digits, maybe after a minus and with a fraction, as a number.
    private static func decimal(_ text: [UInt8]) -> Double? {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let isDecimal = digits.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        return isDecimal ? Double(String(decoding: text, as: UTF8.self)) : nil
    }
}
