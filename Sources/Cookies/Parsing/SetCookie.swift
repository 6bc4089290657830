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
    public let maxAge: Int64?
    /// The value of the last Expires attribute that is a date.
    public let expires: Timestamp?
    /// The value of the last Domain attribute as it stands, only in lower case.
    public let domain: [UInt8]?
    /// The value of the last Path attribute as it stands; one that does not begin with `/` means
    /// the default.
    public let path: [UInt8]?
    /// Whether the Secure attribute is there.
    public let secure: Bool
    /// Whether the HttpOnly attribute is there.
    public let httpOnly: Bool
    /// What the last SameSite attribute says; `unset` when there is none or it says something
    /// unknown.
    public let sameSite: SameSite
    /// Whether the Partitioned attribute is there.
    public let partitioned: Bool
}

// The initialisers stand apart so that the compiler's own is there, which makes the value of its parts in one go.
extension SetCookie {
    /// Parses a line: the field's value, without its name.
    ///
    /// - Throws: `controlCharacter`, `nameValueTooLong` or `emptyCookie`.
    /// - Complexity: O(length).
    public init(parsing line: [UInt8]) throws(CookieRejection) {
        try self.init(parsing: line[...])
    }

    /// Parses a line that is a part of a longer text.
    ///
    /// - Throws: `controlCharacter`, `nameValueTooLong` or `emptyCookie`.
    /// - Complexity: O(length).
    public init(parsing line: ArraySlice<UInt8>) throws(CookieRejection) {
        let pair = try line.withUnsafeBufferPointer { octets throws(CookieRejection) in
            try Self.pair(of: octets)
        }
        var attributes = SetCookieAttributes()
        var start = line.startIndex + pair.end
        while start < line.endIndex {
            let end = line[(start + 1)...].firstIndex(of: ASCII.semicolon) ?? line.endIndex
            attributes.take(line, in: (start + 1)..<end)
            start = end
        }
        self.init(
            name: pair.name, value: CookieValue(pair.value), maxAge: attributes.maxAge,
            expires: attributes.expires, domain: attributes.domain, path: attributes.path,
            secure: attributes.secure, httpOnly: attributes.httpOnly,
            sameSite: attributes.sameSite, partitioned: attributes.partitioned)
    }

    /// The name that a line gives its cookie, for a report about a line that does not parse.
    public static func name(of line: ArraySlice<UInt8>) -> [UInt8] {
        line.withUnsafeBufferPointer { octets in
            let end = octets.firstIndex(of: ASCII.semicolon) ?? octets.count
            return Array(UnsafeBufferPointer(rebasing: octets[pair(of: octets, upTo: end).name]))
        }
    }

    /// The name and the value, and where the first `;` stands, or the line's end.
    private static func pair(
        of line: UnsafeBufferPointer<UInt8>
    ) throws(CookieRejection) -> (name: [UInt8], value: [UInt8], end: Int) {
        // One look at the value, which is most of the line, serves both questions.
        let end = line.firstIndexByVectors(of: EndOfPair.self)
        guard !ASCII.hasForbiddenControl(UnsafeBufferPointer(rebasing: line[end...])) else {
            throw .controlCharacter
        }
        let (name, value) = pair(of: line, upTo: end)
        guard name.count + value.count <= CookieLimits.nameAndValueOctets else {
            throw .nameValueTooLong
        }
        guard !name.isEmpty || !value.isEmpty else { throw .emptyCookie }
        return (
            Array(UnsafeBufferPointer(rebasing: line[name])),
            Array(UnsafeBufferPointer(rebasing: line[value])), end
        )
    }

    /// Where the name and the value lie before the first `;` or the line's end.
    private static func pair(
        of line: UnsafeBufferPointer<UInt8>, upTo end: Int
    ) -> (name: Range<Int>, value: Range<Int>) {
        guard let equals = line[..<end].firstIndex(of: ASCII.equals) else {
            return (0..<0, line.trimmingBlanks(0..<end))
        }
        return (line.trimmingBlanks(0..<equals), line.trimmingBlanks((equals + 1)..<end))
    }
}

/// The first `;`, or a control character before it.
private enum EndOfPair: OctetKind {
    @inline(__always)
    static func marks(_ octets: Vector) -> Vector {
        ForbiddenControl.marks(octets) | OctetVectors.marks(ASCII.semicolon, octets)
    }

    static func holds(_ octet: UInt8) -> Bool {
        octet == ASCII.semicolon || ASCII.isForbiddenControl(octet)
    }
}
