// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The times that files have as text: ISO 8601 as JavaScript, Java and Python write it, the description of an
/// `NSDate` (`2027-06-01 00:00:00 +0000`), HTTP dates, and seconds since 1970 in digits.
enum FileTime {
    /// The time, or nil when the text is none of these.
    ///
    /// One without a zone is UTC; a year of more than four digits is as far away as can be.
    static func parse(_ text: [UInt8]) -> Timestamp? {
        if let seconds = DecimalDigits.parse(text) {
            return Timestamp(fileSeconds: Double(seconds))
        }
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard digits.count >= 4, text.dropFirst(digits.count).first == UInt8(ascii: "-") else {
            return CookieDate.parse(text)
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
        // Hours and minutes alone have no seconds.
        date += clock.count == 5 ? Array(clock) + Array(":00".utf8) : Array(clock)
        if zone.isEmpty || zone.elementsEqual("UTC".utf8) || zone.elementsEqual("GMT".utf8) {
            zone = [UInt8(ascii: "Z")]
        }
        if zone.count == 5 { zone.insert(UInt8(ascii: ":"), at: 3) }
        if zone.count == 3 { zone += Array(":00".utf8) }
        return date + zone
    }
}
