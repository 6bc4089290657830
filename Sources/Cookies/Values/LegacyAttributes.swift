// SPDX-License-Identifier: Apache-2.0

/// The attributes of RFC 2109 and RFC 2965 cookies that no rule of today looks at, and that a file of Apple's
/// property dictionaries or of Safari may have all the same.
///
/// They are kept so that such a file survives the way in and out. Hardly any cookie has them, so they lie behind one
/// reference: a cookie without them pays for a nil.
public final class LegacyAttributes: Hashable, Sendable {
    /// The most octets of one of the texts.
    public static let maximumOctets = 1024

    /// The version of the cookie specification: 0 for Netscape's, 1 for RFC 2965's.
    public let version: UInt8?
    /// What the cookie is for, in words.
    public let comment: [UInt8]?
    /// Where it says what the cookie is for.
    public let commentURL: [UInt8]?
    /// The ports that it was meant for, as a list with commas.
    public let port: [UInt8]?

    /// Attributes; nil when there is none, or when a text is longer than `maximumOctets`.
    public init?(
        version: UInt8? = nil, comment: [UInt8]? = nil, commentURL: [UInt8]? = nil,
        port: [UInt8]? = nil
    ) {
        let texts = [comment, commentURL, port].compactMap { $0 }
        guard version != nil || !texts.isEmpty,
            texts.allSatisfy({ $0.count <= Self.maximumOctets })
        else { return nil }
        self.version = version
        self.comment = comment
        self.commentURL = commentURL
        self.port = port
    }

    /// Whether the two say the same.
    public static func == (left: LegacyAttributes, right: LegacyAttributes) -> Bool {
        left.version == right.version && left.comment == right.comment
            && left.commentURL == right.commentURL && left.port == right.port
    }

    /// Feeds the attributes into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(comment)
        hasher.combine(commentURL)
        hasher.combine(port)
    }
}
