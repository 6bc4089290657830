// SPDX-License-Identifier: Apache-2.0
// What the server itself wants to know of a request's fields, gathered while they are read, and the conclusions that
// need all of them. Fields are told apart by length first, so that most cost one comparison of two numbers.

/// Gathers what fields say about the message, the connection and the answer.
struct FieldFacts: Sendable {
    private var host: ByteRange?
    private var framing = MessageFraming()
    private var hasContentType = false
    private var hasAuthorization = false
    private var contentCoding: RequestHead.ContentCoding?
    private var wantsClose = false
    private var wantsKeepAlive = false
    private var expectsContinue = false
    private var expectsOther = false
    private var acceptEncoding = AcceptEncoding()

    /// Takes a field.
    ///
    /// - Throws: The fault, if this field alone, or its repetition, makes the request unreadable.
    mutating func take(_ bytes: Span<UInt8>, _ field: FieldRange) throws(HTTPFault) {
        let name = bytes.extracting(field.name.range)
        switch name.count {
        case 4 where name.equalsIgnoringCase("Host"):
            try takeHost(bytes, field.value)
        case 6 where name.equalsIgnoringCase("Expect"):
            takeExpectation(bytes.extracting(field.value.range))
        case 10 where name.equalsIgnoringCase("Connection"):
            takeConnection(bytes, field.value)
        case 12 where name.equalsIgnoringCase("Content-Type"):
            try Self.once(&hasContentType)
        case 13 where name.equalsIgnoringCase("Authorization"):
            try Self.once(&hasAuthorization)
        case 14 where name.equalsIgnoringCase("Content-Length"):
            try framing.takeContentLength(bytes.extracting(field.value.range))
        case 15 where name.equalsIgnoringCase("Accept-Encoding"):
            acceptEncoding.take(bytes, field.value.range)
        case 16 where name.equalsIgnoringCase("Content-Encoding"):
            takeContentCoding(bytes.extracting(field.value.range))
        case 17 where name.equalsIgnoringCase("Transfer-Encoding"):
            try framing.takeTransferEncoding(bytes.extracting(field.value.range))
        default: break
        }
    }

    /// Draws the conclusions that need the whole head.
    ///
    /// - Throws: The fault, if the fields together make the request unreadable.
    func conclude(_ head: inout RequestHead) throws(HTTPFault) {
        guard host != nil || head.isLegacy else { throw .malformedHost }
        if head.authority == nil { head.authority = host }
        head.framing = try framing.conclude(isLegacy: head.isLegacy)
        head.contentCoding = contentCoding ?? .identity
        head.keepsAlive = !wantsClose && (!head.isLegacy || wantsKeepAlive)
        head.acceptsGzip = acceptEncoding.acceptsGzip
        // An HTTP/1.0 client cannot expect anything (RFC 9110 §10.1.1).
        guard !head.isLegacy else { return }
        guard !expectsOther else { throw .unknownExpectation }
        head.expectsContinue = expectsContinue
    }

    private static func once(_ seen: inout Bool) throws(HTTPFault) {
        guard !seen else { throw .repeatedField }
        seen = true
    }

    private mutating func takeHost(_ bytes: Span<UInt8>, _ value: ByteRange) throws(HTTPFault) {
        guard host == nil, Authority.isValid(bytes.extracting(value.range)) else {
            throw .malformedHost
        }
        host = value
    }

    private mutating func takeExpectation(_ value: Span<UInt8>) {
        if value.equalsIgnoringCase("100-continue") {
            expectsContinue = true
        } else if !value.isEmpty {
            expectsOther = true
        }
    }

    private mutating func takeConnection(_ bytes: Span<UInt8>, _ value: ByteRange) {
        var (close, keepAlive) = (false, false)
        FieldLine.forEachElement(of: bytes, in: value.range) { element in
            let option = bytes.extracting(element)
            if option.equalsIgnoringCase("close") { close = true }
            if option.equalsIgnoringCase("keep-alive") { keepAlive = true }
        }
        if close { wantsClose = true }
        if keepAlive { wantsKeepAlive = true }
    }

    /// One gzip is the only coding; a second field, or a list, is another coding on top.
    private mutating func takeContentCoding(_ value: Span<UInt8>) {
        let isGzip = value.equalsIgnoringCase("gzip") || value.equalsIgnoringCase("x-gzip")
        contentCoding = contentCoding == nil && isGzip ? .gzip : .unsupported
    }
}
