// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
public import Cookies

/// What the writing of a file depends on, beside the cookies.
public struct WritingContext: Sendable {
    /// The form in which `nshttpcookie` is written.
    public enum PropertyForm: Sendable {
        /// JSON.
        case json
        /// An XML property list.
        case propertyList
    }

    /// The URL whose response the lines of `set-cookie` are of.
    public var url: CookieURL?
    /// Whether a response of that URL may set cookies that are Secure.
    public var isSecure = false
    /// The partition of the cookies that it sets as Partitioned.
    public var partitionKey: [UInt8]?
    /// The form of property dictionaries.
    public var propertyForm = PropertyForm.json

    /// A context.
    public init() {}
}

/// A format that files can be written in.
protocol WritableFileFormat: CookieFileFormat {
    associatedtype Body: FileBody

    /// The media type of what is written.
    static func mediaType(_ context: WritingContext) -> StaticString

    /// What of a cookie a file cannot hold.
    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes
}

/// A file that is being written, cookie by cookie.
protocol FileBody: Sendable {
    /// A file for some cookies, which it may put in another order.
    init(_ cookies: inout [Cookie], _ context: WritingContext)

    /// Appends what comes before the first cookie.
    mutating func begin(into bytes: inout [UInt8])

    /// Appends a cookie.
    mutating func append(_ cookie: Cookie, into bytes: inout [UInt8])

    /// Appends what comes after the last.
    mutating func end(into bytes: inout [UInt8])
}

/// A file of cookies that is written in pieces.
///
/// What it will leave out is known before the first piece.
public struct CookieFileWriter: Sendable {
    /// A cookie and what the file cannot hold of it.
    public struct Loss: Sendable {
        /// Which cookie.
        public let identity: CookieIdentity
        /// What is lost; the cookie is left out if `isWhole`.
        public let attributes: LostAttributes
    }

    /// What the file cannot hold of each cookie, in the order of the cookies given.
    public let losses: [Loss]
    /// The media type.
    public let mediaType: StaticString
    private let cookies: [Cookie]
    private var body: any FileBody
    private var next = -1

    init<Format: WritableFileFormat>(
        _ format: Format.Type, _ cookies: [Cookie], _ context: WritingContext
    ) {
        let losses = cookies.map { cookie in
            let lost = Format.losses(of: cookie, context)
            return Loss(
                identity: cookie.identity,
                attributes: lost.isWhole ? lost.intersection(.whole) : lost)
        }
        var written = zip(cookies, losses).filter { !$1.attributes.isWhole }.map(\.0)
        body = Format.Body(&written, context)
        self.losses = losses
        self.cookies = written
        mediaType = Format.mediaType(context)
    }

    /// How many cookies the file has.
    public var count: Int { cookies.count }

    /// About how many octets the file has.
    ///
    /// O(n).
    public var approximateBytes: Int {
        cookies.reduce(0) { sum, cookie in
            let identity = cookie.identity
            return sum + cookie.value.bytes.count + identity.name.count + identity.path.count + 200
        }
    }

    /// What is lost of any of the cookies.
    public var lost: LostAttributes {
        losses.reduce(into: []) { $0.formUnion($1.attributes) }
    }

    /// Appends the next pieces, until there is no more room.
    ///
    /// - Parameters:
    ///   - bytes: Takes the pieces.
    ///   - room: How many octets may be appended; the last piece may go beyond.
    /// - Returns: Whether there is more.
    public mutating func write(into bytes: inout [UInt8], room: Int = .max) -> Bool {
        let (end, overflows) = bytes.count.addingReportingOverflow(room)
        if next < 0 {
            body.begin(into: &bytes)
            next = 0
        }
        while next < cookies.count {
            guard overflows || bytes.count < end else { return true }
            body.append(cookies[next], into: &bytes)
            next += 1
        }
        body.end(into: &bytes)
        return false
    }
}

extension [UInt8] {
    /// Appends JSON.
    mutating func appendJSON(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(appendingTo: self)
        self = []
        body(&writer)
        self = writer.bytes
    }
}
