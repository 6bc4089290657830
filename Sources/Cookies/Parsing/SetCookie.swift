// SPDX-License-Identifier: Apache-2.0

/// One `Set-Cookie` line, parsed (section 5.6), not yet judged: the storage model (section 5.7)
/// needs to know where it came from.
///
/// The line is split at each `;`; quotes mean nothing. The part before the first is the name and
/// the value, cut at the first `=`; a part without `=` is the value of a nameless cookie. Blanks
/// (space and TAB only) around each piece are dropped. Of an attribute that occurs more than once
/// the last usable one counts; an attribute whose value is longer than 1024 octets is as if it were
/// not there.
public struct SetCookie: Sendable {
    /// The cookie-name, possibly empty.
    public let name: [UInt8]
    /// The cookie-value, possibly empty.
    public let value: CookieValue
    /// The value of the last usable Max-Age attribute in seconds, clamped to what fits; at or below
    /// zero it ends the cookie.
    public private(set) var maxAge: Int64?
    /// The value of the last Expires attribute that is a date.
    public private(set) var expires: Timestamp?
    /// The value of the last Domain attribute as it stands, only in lower case.
    public private(set) var domain: [UInt8]?
    /// The value of the last Path attribute as it stands; one that does not begin with `/` means
    /// the default.
    public private(set) var path: [UInt8]?
    /// Whether the Secure attribute is there.
    public private(set) var secure = false
    /// Whether the HttpOnly attribute is there.
    public private(set) var httpOnly = false
    /// What the last SameSite attribute says; `unset` when there is none or it says something
    /// unknown.
    public private(set) var sameSite = SameSite.unset
    /// Whether the Partitioned attribute is there.
    public private(set) var partitioned = false

    /// Parses a line: the field's value, without its name.
    ///
    /// - Throws: `controlCharacter`, `nameValueTooLong` or `emptyCookie`.
    /// - Complexity: O(length).
    public init(parsing line: [UInt8]) throws(CookieRejection) {
        guard !line.withUnsafeBufferPointer(ASCII.hasForbiddenControl) else {
            throw .controlCharacter
        }
        let pair = Self.pair(of: line)
        guard pair.name.count + pair.value.count <= CookieLimits.nameAndValueOctets else {
            throw .nameValueTooLong
        }
        guard !pair.name.isEmpty || !pair.value.isEmpty else { throw .emptyCookie }
        name = Array(line[pair.name])
        value = CookieValue(Array(line[pair.value]))
        var start = pair.end
        while start < line.count {
            let end = line[(start + 1)...].firstIndex(of: ASCII.semicolon) ?? line.count
            takeAttribute(of: line, in: (start + 1)..<end)
            start = end
        }
    }

    /// The name that a line gives its cookie, for a report about a line that does not parse.
    public static func name(of line: [UInt8]) -> [UInt8] {
        Array(line[pair(of: line).name])
    }

    /// Where the name and the value lie, and the index of the first `;` or the line's end.
    private static func pair(
        of line: [UInt8]
    ) -> (name: Range<Int>, value: Range<Int>, end: Int) {
        let end = line.withUnsafeBufferPointer { $0.firstIndexByWords(of: ASCII.semicolon) }
        guard let equals = line[..<end].firstIndex(of: ASCII.equals) else {
            return (0..<0, line.trimmingBlanks(0..<end), end)
        }
        return (line.trimmingBlanks(0..<equals), line.trimmingBlanks((equals + 1)..<end), end)
    }

    private mutating func takeAttribute(of line: [UInt8], in range: Range<Int>) {
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
