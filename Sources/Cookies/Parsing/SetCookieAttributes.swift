// SPDX-License-Identifier: Apache-2.0

/// The attributes of a `Set-Cookie` line as far as it has been read; see `SetCookie` for what they mean.
struct SetCookieAttributes {
    private(set) var maxAge: Int64?
    private(set) var expires: Timestamp?
    private(set) var domain: [UInt8]?
    private(set) var path: [UInt8]?
    private(set) var secure = false
    private(set) var httpOnly = false
    private(set) var sameSite = SameSite.unset
    private(set) var partitioned = false

    /// Takes the attribute in a part of a line.
    mutating func take(_ line: ArraySlice<UInt8>, in range: Range<Int>) {
        let equals = line[range].firstIndex(of: ASCII.equals) ?? range.upperBound
        let name = line[line.trimmingBlanks(range.lowerBound..<equals)]
        let valueStart = min(equals + 1, range.upperBound)
        let value = line[line.trimmingBlanks(valueStart..<range.upperBound)]
        guard value.count <= CookieLimits.attributeOctets else { return }
        if ASCII.matches(name, "expires") {
            expires = CookieDate.parse(value) ?? expires
        } else if ASCII.matches(name, "max-age") {
            maxAge = Self.seconds(value) ?? maxAge
        } else if ASCII.matches(name, "domain") {
            domain = ASCII.lowercased(value)
        } else if ASCII.matches(name, "path") {
            path = Array(value)
        } else if ASCII.matches(name, "secure") {
            secure = true
        } else if ASCII.matches(name, "httponly") {
            httpOnly = true
        } else if ASCII.matches(name, "samesite") {
            sameSite = Self.sameSite(value)
        } else if ASCII.matches(name, "partitioned") {
            partitioned = true
        }
    }

    /// An optional `-`, then digits only (section 5.6.2); nil for anything else, such as `+5`.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == ASCII.minus
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        var value: Int64 = 0
        for byte in digits {
            let product = value.multipliedReportingOverflow(by: 10)
            let sum = product.partialValue.addingReportingOverflow(Int64(byte - 0x30))
            guard !product.overflow, !sum.overflow else { return isNegative ? .min : .max }
            value = sum.partialValue
        }
        return isNegative ? -value : value
    }

    private static func sameSite(_ text: ArraySlice<UInt8>) -> SameSite {
        if ASCII.matches(text, "none") { return .none }
        if ASCII.matches(text, "lax") { return .lax }
        if ASCII.matches(text, "strict") { return .strict }
        return .unset
    }
}
