// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// A reader of JSON that makes its entries of the values which `elements` finds.
protocol ElementEntryReader: EntryReader {
    /// Finds the values.
    var elements: JSONElementReader { get set }

    /// Takes the values that have been found out of `elements`, and appends the entries that they make.
    mutating func fetch(into entries: inout [FileEntry]) throws(CookieFileError)
}

extension ElementEntryReader {
    /// How many octets are read before what was found in them is fetched.
    private static var stepBytes: Int { 16 << 10 }

    mutating func take(
        _ piece: ArraySlice<UInt8>, into entries: inout [FileEntry]
    ) throws(CookieFileError) {
        // A little at a time, as each value is held until it is fetched.
        var rest = piece
        while !rest.isEmpty {
            do throws(JSONError) {
                try elements.take(rest.prefix(Self.stepBytes))
            } catch {
                throw CookieFileError(error)
            }
            rest = rest.dropFirst(Self.stepBytes)
            try fetch(into: &entries)
        }
    }

    /// Ends the values, and appends the last entries.
    mutating func finishElements(into entries: inout [FileEntry]) throws(CookieFileError) {
        do throws(JSONError) { try elements.finish() } catch { throw CookieFileError(error) }
        try fetch(into: &entries)
    }
}

/// Reads a file in JSON that comes in pieces: the values at some places become entries.
struct JSONFileReader: ElementEntryReader {
    /// What a value becomes: some entries, or a complaint about the file as a whole.
    typealias Map = @Sendable (JSONElement, inout [FileEntry]) throws(CookieFileError) -> Void

    var elements: JSONElementReader
    private let map: Map
    private let needed: Int?
    private let complaint: String
    private var isFound = false

    /// A reader.
    ///
    /// - Parameters:
    ///   - places: Where the values are.
    ///   - needed: The index of the place that the file must have, for it to be the format at all.
    ///   - complaint: The sentence that says what is missing without it.
    ///   - limits: How much is held of a value.
    ///   - map: What the values become.
    init(
        _ places: [JSONPlace], needed: Int?, complaint: String,
        limits: JSONElementLimits = JSONElementLimits(), map: @escaping Map
    ) {
        elements = JSONElementReader(places, limits: limits)
        self.needed = needed
        self.complaint = complaint
        self.map = map
    }

    mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError) {
        try finishElements(into: &entries)
        guard needed == nil || isFound else {
            throw .notTheFormat(detail: complaint, offset: nil)
        }
    }

    mutating func fetch(into entries: inout [FileEntry]) throws(CookieFileError) {
        for element in elements.elements {
            if element.place == needed { isFound = true }
            try map(element, &entries)
        }
        elements.elements.removeAll(keepingCapacity: true)
    }
}

extension CookieFileError {
    /// A file that is not JSON, or too much of it.
    init(_ error: JSONError) {
        switch error {
        case .malformed(let offset, let expected):
            self = .notTheFormat(
                detail: "The file is not JSON: byte \(offset), expected \(expected).",
                offset: offset)
        case .tooLarge(let offset, let what): self = .tooLarge(offset: offset, what: what)
        }
    }
}

/// What the formats in JSON have in common.
enum JSONFile {
    /// A reader of an array of cookies, or of an object with such an array as its member `cookies`.
    ///
    /// - Parameters:
    ///   - opening: How the file begins, which tells the two apart.
    ///   - others: Further places of the object, each of whose values becomes an entry with a fault.
    ///   - cookie: What an element describes.
    /// - Returns: The reader.
    static func cookies(
        _ opening: FileOpening, others: [(place: JSONPlace, fault: EntryFault)] = [],
        cookie: @escaping @Sendable (JSONValue) throws(EntryFault) -> FinishedCookie
    ) -> JSONFileReader {
        let isArray = opening.json?.isArray ?? false
        let list: [JSONStep] = isArray ? [] : [.member("cookies")]
        let faults = others.map(\.fault)
        let complaint =
            "The file is neither an array of cookies nor an object with an array `cookies`."
        return JSONFileReader(
            [JSONPlace(list, needsContent: false), JSONPlace(list + [.any])]
                + (isArray ? [] : others.map(\.place)),
            needed: 0, complaint: complaint
        ) { element, entries throws(CookieFileError) in
            switch element.place {
            case 0:
                guard element.firstOctet == UInt8(ascii: "[") else {
                    throw .notTheFormat(detail: complaint, offset: nil)
                }
            case 1:
                entries.append(
                    FileEntry(.pointer(element.pointer)) { () throws(EntryFault) in
                        guard let value = element.value else { throw .malformedEntry }
                        return try cookie(value)
                    })
            default:
                entries.append(
                    FileEntry(
                        position: .pointer(element.pointer),
                        content: .fault(faults[element.place - 2])))
            }
        }
    }

    /// A domain, after a dot where hosts below it get the cookie.
    static func dotted(_ identity: CookieIdentity) -> [UInt8] {
        identity.hostOnly ? identity.domain : [UInt8(ascii: ".")] + identity.domain
    }
}

extension JSONObject {
    /// A member's text; nil without it or when it is null.
    func text(_ name: StaticString) throws(EntryFault) -> [UInt8]? {
        guard let member = self[name], !member.isNull else { return nil }
        do { return try member.string() } catch { throw .invalidMember }
    }

    /// A member's text, or that of a whole number, which some make of a text of digits; nil without it or when it is
    /// null.
    func textOrNumber(_ name: StaticString) throws(EntryFault) -> [UInt8]? {
        guard let number = try? self[name]?.number() else { return try text(name) }
        guard let text = WholeNumber.text(number) else { throw .invalidMember }
        return text
    }

    /// A member's truth value, also as a number or a word; nil without it or when it is null.
    func flag(_ name: StaticString) throws(EntryFault) -> Bool? {
        guard let member = self[name], !member.isNull else { return nil }
        if let flag = try? member.bool() { return flag }
        var flag: Bool?
        if let number = try? member.number() {
            flag = FileFlag.parse(number)
        } else if let word = try text(name) {
            flag = FileFlag.parse(word)
        }
        guard let flag else { throw .invalidMember }
        return flag
    }

    /// The SameSite attribute, in the words of browsers' extensions or of the attribute itself, in any case.
    ///
    /// "None" without Secure is what Firefox, and what drives it, says of a cookie without the attribute; taken at its word
    /// it would be no cookie.
    func sameSite() throws(EntryFault) -> SameSite {
        guard let word = try text("sameSite") else { return .unset }
        let isSecure = try flag("secure") ?? false
        let sameSite = SameSite(word: word)
        return sameSite == .none && !isSecure ? .unset : sameSite
    }

    /// The partition that a member names: a site, or an object with it as `topLevelSite`; nil without it, and when it
    /// is null or empty.
    func partitionKey() throws(EntryFault) -> [UInt8]? {
        guard let member = self["partitionKey"], !member.isNull else { return nil }
        let site: [UInt8]?
        if member.isString {
            site = try text("partitionKey")
        } else {
            guard let key = member.openObject else { throw .invalidMember }
            // Puppeteer's name for it is the second.
            let first = try key.text("topLevelSite")
            site = try key["topLevelSite"] == nil ? key.text("sourceOrigin") : first
        }
        return site?.isEmpty ?? true ? nil : site
    }

    /// The expiry that a member gives in seconds, to the millisecond.
    ///
    /// Nil, a session cookie, without it and when it is null, 0 or -1. As text it may be any of the times that
    /// `FileTime` knows.
    func expiry(_ name: StaticString) throws(EntryFault) -> Timestamp? {
        guard let member = self[name], !member.isNull else { return nil }
        if member.isString { return try FileTime.expiry(try text(name) ?? []) }
        let seconds: Double
        do { seconds = try member.number() } catch { throw .invalidExpiry }
        return FileTime.expiry(seconds)
    }
}

extension Timestamp {
    /// A time that a file gives as a number: seconds, or from 1e12 on (the year 33658) milliseconds.
    ///
    /// Below it, milliseconds would lie before 2001, and seconds are what is written for "never", such as the year 9999.
    init(fileSeconds seconds: Double) {
        // Up to here Double has no gaps between whole numbers; a time beyond it means "never".
        let bound = 9_007_199_254_740_992.0
        let milliseconds = (seconds < 1e12 ? seconds * 1000 : seconds).rounded()
        self.init(
            milliseconds: milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -bound), bound)))
    }
}
