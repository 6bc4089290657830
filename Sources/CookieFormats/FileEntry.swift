// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// One entry of a file that was read.
public struct FileEntry: Sendable {
    /// Where it stands.
    public enum Position: Hashable, Sendable {
        /// In this line; the first is 1.
        case line(Int)
        /// At this place of the text's arrays and objects, as a JSON pointer (RFC 6901).
        case pointer(String)
    }

    /// What it says.
    public enum Content: Sendable {
        /// A cookie, not yet judged.
        case cookie(FinishedCookie)
        /// A line that a response set a cookie with.
        case response(RecordedLine)
        /// It describes no cookie.
        case fault(EntryFault)
    }

    /// Where it stands in the file.
    public let position: Position
    /// What it says.
    public let content: Content

    /// An entry.
    public init(position: Position, content: Content) {
        self.position = position
        self.content = content
    }

    /// An entry that is a cookie, unless reading it fails.
    init(_ position: Position, _ read: () throws(EntryFault) -> FinishedCookie) {
        self.position = position
        do throws(EntryFault) { content = .cookie(try read()) } catch { content = .fault(error) }
    }
}

/// A Set-Cookie line that somebody wrote down, with what it depends on.
public struct RecordedLine: Sendable {
    /// The field's value.
    public let line: [UInt8]
    /// The URL that answered.
    public let url: [UInt8]
    /// When it did; nil for now.
    public let time: Timestamp?
}

/// Why an entry of a file describes no cookie: a closed list, documented in docs/formats.md.
///
/// The raw value is the reason's name in the API.
public enum EntryFault: String, Error, CaseIterable, Sendable {
    /// A line without six or seven fields, an element that is no object, or a record with impossible offsets.
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
    /// An expiry that is no time.
    case invalidExpiry = "invalid-expiry"
    /// A member of a type or with a word that the format does not have.
    case invalidMember = "invalid-member"
    /// A URL that cannot have cookies, or none where one is needed.
    case invalidURL = "invalid-url"
    /// The local storage of an origin, which is no cookie.
    case localStorage = "local-storage"
    /// A cookie that a request sent: it has no domain, no path and no lifetime.
    case requestCookie = "request-cookie"
    /// The file ends before or within it.
    case truncated
}

/// Why a file was not read.
public enum CookieFileError: Error, Hashable, Sendable {
    /// It is not the format at all; `detail` is a sentence, `offset` where the text goes wrong, if at one place.
    case notTheFormat(detail: String, offset: Int?)
    /// It is more than is read: `what` names the limit that it passes.
    case tooLarge(offset: Int, what: String)
    /// It needs a URL to be read with.
    case needsURL
}
