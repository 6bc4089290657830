// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// What the formats in JSON have in common.
enum JSONFile {
    /// A file has more names and values than a body; the other limits are those of bodies.
    private static let limits = JSONLimits(tokens: 1_000_000)

    /// Checks a file against the grammar of JSON.
    static func parse(_ file: [UInt8]) throws(CookieFileError) -> JSONValue {
        do throws(JSONError) {
            return try JSONDocument(parsing: file, limits: limits).root
        } catch {
            switch error {
            case .malformed(let offset, let expected):
                throw .notTheFormat(
                    detail: "The file is not JSON: byte \(offset), expected \(expected).",
                    offset: offset)
            case .tooLarge(let offset, let what): throw .tooLarge(offset: offset, what: what)
            }
        }
    }

    /// The first byte of the text and the one after it, blanks left out.
    static func opening(of file: [UInt8]) -> (UInt8?, UInt8?) {
        let bytes = file.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(2)
        return (bytes.first, bytes.dropFirst().first)
    }

    /// What of a cookie no string of JSON can hold.
    static func unwritable(_ cookie: Cookie) -> Set<LostAttribute> {
        var lost: Set<LostAttribute> = []
        if !UTF8Text.isValid(cookie.identity.name) { lost.insert(.name) }
        if !UTF8Text.isValid(cookie.value.bytes) { lost.insert(.value) }
        if !UTF8Text.isValid(cookie.identity.path) { lost.insert(.path) }
        return lost
    }

    /// A domain, after a dot where hosts below it get the cookie.
    static func dotted(_ identity: CookieIdentity) -> [UInt8] {
        identity.hostOnly ? identity.domain : [UInt8(ascii: ".")] + identity.domain
    }

    /// Whether a text stands somewhere in a file.
    static func contains(_ text: StaticString, in file: [UInt8]) -> Bool {
        text.withUTF8Buffer { text in
            guard let first = text.first, file.count >= text.count else { return false }
            var rest = file[...]
            while let start = rest.firstIndex(of: first) {
                if file[start...].starts(with: text) { return true }
                rest = file[(start + 1)...]
            }
            return false
        }
    }
}

extension JSONObject {
    /// A member's text; nil without it or when it is null.
    func text(_ name: StaticString) throws(EntryFault) -> [UInt8]? {
        guard let member = self[name], !member.isNull else { return nil }
        do { return try member.string() } catch { throw .invalidMember }
    }

    /// A member's truth value; nil without it or when it is null.
    func flag(_ name: StaticString) throws(EntryFault) -> Bool? {
        guard let member = self[name], !member.isNull else { return nil }
        do { return try member.bool() } catch { throw .invalidMember }
    }

    /// The expiry that a member gives in seconds, to the millisecond.
    ///
    /// Nil, a session cookie, without it and when it is null, 0 or -1. From 1e11 on (the year 5138) the number is taken
    /// for milliseconds.
    func expiry(_ name: StaticString) throws(EntryFault) -> Timestamp? {
        guard let member = self[name], !member.isNull else { return nil }
        let seconds: Double
        do { seconds = try member.number() } catch { throw .invalidExpiry }
        guard seconds != 0, seconds != -1 else { return nil }
        // Up to here Double has no gaps between whole numbers; a time beyond it means "never".
        let bound = 9_007_199_254_740_992.0
        let milliseconds = (seconds < 1e11 ? seconds * 1000 : seconds).rounded()
        return Timestamp(milliseconds: Int64(min(max(milliseconds, -bound), bound)))
    }
}
