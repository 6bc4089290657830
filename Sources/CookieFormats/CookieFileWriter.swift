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
protocol WritableFileFormat: CookieFileFormat, SendableMetatype {
    associatedtype Body: FileBody

    /// The media type of what is written.
    static func mediaType(_ context: WritingContext) -> StaticString

    /// What of a cookie a file cannot hold.
    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes
}

/// A file that is being written, cookie by cookie.
protocol FileBody: Sendable {
    /// A file for some cookies, which it may put in another order.
    init(_ cookies: inout CookieSelection, _ context: WritingContext)

    /// Appends what comes before the first cookie.
    mutating func begin(into bytes: inout [UInt8])

    /// Appends a cookie.
    mutating func append(_ cookie: Cookie, into bytes: inout [UInt8])

    /// Appends what comes after the last.
    mutating func end(into bytes: inout [UInt8])
}

/// A file of cookies that is written in pieces.
///
/// What it will leave out is known before the first piece. Until the last it shares the store's memory, and has next to
/// none of its own.
public struct CookieFileWriter: Sendable {
    /// A cookie and what the file cannot hold of it.
    public struct Loss: Sendable {
        /// Which cookie.
        public let identity: CookieIdentity
        /// What is lost; the cookie is left out if `isWhole`.
        public let attributes: LostAttributes
    }

    /// The media type.
    public let mediaType: StaticString
    /// What is lost of any of the cookies.
    public let lost: LostAttributes
    /// About how many octets the file has.
    public let approximateBytes: Int
    private let given: CookieSelection
    private let cookies: CookieSelection
    private let lossesOf: @Sendable (Cookie) -> LostAttributes
    private var body: any FileBody
    private var next = -1

    init<Format: WritableFileFormat>(
        _ format: Format.Type, _ cookies: CookieSelection, _ context: WritingContext
    ) {
        let lossesOf = { @Sendable (cookie: Cookie) -> LostAttributes in
            let lost = Format.losses(of: cookie, context)
            return lost.isWhole ? lost.intersection(.whole) : lost
        }
        var (written, lost, bytes) = (cookies, LostAttributes(), 0)
        written.removeAll { cookie in
            let its = lossesOf(cookie)
            lost.formUnion(its)
            let identity = cookie.identity
            if !its.isWhole {
                bytes += cookie.value.bytes.count + identity.name.count + identity.path.count + 200
            }
            return its.isWhole
        }
        body = Format.Body(&written, context)
        given = cookies
        self.cookies = written
        self.lost = lost
        self.lossesOf = lossesOf
        approximateBytes = bytes
        mediaType = Format.mediaType(context)
    }

    /// What the file cannot hold of each cookie, in the order of the cookies given.
    ///
    /// O(n).
    public var losses: [Loss] {
        given.map { Loss(identity: $0.identity, attributes: lossesOf($0)) }
    }

    /// How many cookies the file has.
    public var count: Int { cookies.count }

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
        var writer = JSONWriter()
        body(&writer)
        writer.append(to: &self)
    }
}
