// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A cookie as the value of a Set-Cookie field.
struct SetCookieText {
    var name: [UInt8] = []
    var value: [UInt8] = []
    /// Without it, the cookie is for the host that answers alone.
    var domain: [UInt8]?
    var path: [UInt8]?
    var expires: Timestamp?
    var secure = false
    var httpOnly = false
    var sameSite = SameSite.unset
    var isPartitioned = false

    /// The text that sets a cookie, sent by its host.
    init(_ cookie: Cookie) {
        name = cookie.identity.name
        value = cookie.value.bytes
        domain = cookie.identity.hostOnly ? nil : cookie.identity.domain
        path = cookie.identity.path
        expires = cookie.expires
        secure = cookie.secure
        httpOnly = cookie.httpOnly
        sameSite = cookie.sameSite
        isPartitioned = cookie.identity.partitionKey != nil
    }

    init() {}

    /// Whether nothing in it would end the text or the attribute that it stands in.
    var isWritable: Bool {
        [name, value, domain ?? [], path ?? []].allSatisfy { text in
            !text.contains { $0 == UInt8(ascii: ";") || $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
        } && !name.contains(UInt8(ascii: "="))
    }

    /// Appends the text.
    func append(to bytes: inout [UInt8]) {
        bytes += name
        bytes.append(UInt8(ascii: "="))
        bytes += value
        if let domain { bytes += Array("; Domain=".utf8) + domain }
        if let path { bytes += Array("; Path=".utf8) + path }
        if let expires {
            bytes += Array("; Expires=".utf8)
            Self.append(expires, to: &bytes)
        }
        if secure { bytes += Array("; Secure".utf8) }
        if httpOnly { bytes += Array("; HttpOnly".utf8) }
        switch sameSite {
        case .unset: break
        case .none: bytes += Array("; SameSite=None".utf8)
        case .lax: bytes += Array("; SameSite=Lax".utf8)
        case .strict: bytes += Array("; SameSite=Strict".utf8)
        }
        if isPartitioned { bytes += Array("; Partitioned".utf8) }
    }

    /// Appends a time as IMF-fixdate (RFC 9110 section 5.6.7), which the years 1601 to 9999 have.
    private static func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        let seconds = min(max(time.seconds, -11_644_473_600), 253_402_300_799)
        let date = CalendarDate(seconds: seconds)
        let rest = Int(seconds - date.days * 86_400)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][
            Int((date.days % 7 + 7) % 7)]
        let month = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][date.month - 1]
        func pair(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let text =
            "\(weekday), \(pair(date.day)) \(month) \(date.year) "
            + "\(pair(rest / 3600)):\(pair(rest / 60 % 60)):\(pair(rest % 60)) GMT"
        bytes += Array(text.utf8)
    }
}

/// A day of the Gregorian calendar.
private struct CalendarDate {
    /// Days since 1970-01-01.
    let days: Int64
    let year: Int
    let month: Int
    let day: Int

    /// The day of a time given in seconds since 1970.
    init(seconds: Int64) {
        days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        // Counted from 0000-03-01, so that the leap day is the last of its year; an era has 400 years.
        let shifted = days + 719_468
        let era = shifted / 146_097 - (shifted % 146_097 < 0 ? 1 : 0)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }
}
