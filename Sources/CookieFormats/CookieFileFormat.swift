// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What one file format does; each has a file of its own, and a case in `CookieFormat`.
protocol CookieFileFormat {
    /// The media type of what `write` gives.
    static var mediaType: StaticString { get }

    /// Whether a file, without a byte order mark, looks like this format. O(n), and no more than a look.
    static func recognises(_ file: [UInt8]) -> Bool

    /// The entries of a file without a byte order mark, in the file's order.
    ///
    /// An entry that cannot be a cookie is one that says why; only a file that is not the format at all is an error.
    static func read(_ file: [UInt8]) throws(CookieFileError) -> [FileEntry]

    /// The file that holds some cookies, in their order.
    static func write(_ cookies: [Cookie]) -> CookieFile
}

/// One entry of a file that was read.
public struct FileEntry: Sendable {
    /// Where it stands.
    public enum Position: Hashable, Sendable {
        /// In this line; the first is 1.
        case line(Int)
        /// At this element of the text's array or object, as a JSON pointer (RFC 6901).
        case pointer(String)
    }

    /// Where it stands in the file.
    public let position: Position
    /// The cookie that it describes, not yet judged, or why it describes none.
    public let content: Result<FinishedCookie, EntryFault>
}

/// Why an entry of a file describes no cookie: a closed list, documented in docs/formats.md.
///
/// The raw value is the reason's name in the API.
public enum EntryFault: String, Error, CaseIterable, Sendable {
    /// A line without six or seven fields, or an element that is no object.
    case malformedEntry = "malformed-entry"
    /// A line whose fields are separated by spaces.
    case spacesForTabs = "spaces-for-tabs"
    /// No domain.
    case missingDomain = "missing-domain"
    /// No name.
    case missingName = "missing-name"
    /// No value.
    case missingValue = "missing-value"
    /// A flag that is neither TRUE nor FALSE.
    case invalidFlag = "invalid-flag"
    /// An expiry that is no number.
    case invalidExpiry = "invalid-expiry"
    /// A member of a type or with a word that the format does not have.
    case invalidMember = "invalid-member"
    /// The local storage of an origin, which is no cookie.
    case localStorage = "local-storage"
}

/// Why a file was not read.
public enum CookieFileError: Error, Hashable, Sendable {
    /// It is not the format at all; `detail` is a sentence, `offset` where the text goes wrong, if at one place.
    case notTheFormat(detail: String, offset: Int?)
    /// It is more than is read: `what` names the limit that it passes.
    case tooLarge(offset: Int, what: String)
}

/// A file that was written.
public struct CookieFile: Sendable {
    /// The file.
    public internal(set) var bytes: [UInt8]
    /// What cookies have that the file could not hold, in the order of the enumeration.
    public var lostAttributes: [LostAttribute] {
        LostAttribute.allCases.filter(lost.contains)
    }

    var lost: Set<LostAttribute> = []
}

/// What a format could not hold; documented in docs/formats.md.
///
/// The raw value is the name in the API.
public enum LostAttribute: String, CaseIterable, Sendable {
    /// A name that the format has no way to write; the cookie was left out.
    case name
    /// A value that the format has no way to write; the cookie was left out.
    case value
    /// A path that the format has no way to write; the cookie was left out.
    case path
    /// The partition; the cookie was left out, since without it more sites would see it.
    case partitionKey = "partition_key"
    /// The SameSite attribute.
    case sameSite = "same_site"
    /// The part of the expiry below a second.
    case expiresFraction = "expires_fraction"
    /// The creation time; the order of creation is that of the file.
    case createdAt = "created_at"
    /// That a session cookie was made persistent.
    case wasSession = "was_session"
}
