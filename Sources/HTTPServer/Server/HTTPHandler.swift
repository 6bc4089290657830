// SPDX-License-Identifier: Apache-2.0

/// Answers the requests of a server.
///
/// Both calls run on the event loop of the connection and must not block: what needs I/O is handed to another
/// thread after `HTTPExchange.deferResponse()`.
public protocol HTTPHandler: Sendable {
    /// Called once the request's head is complete, before any of its body is read: decides what becomes of
    /// the body, or refuses the request right away (authorisation, limits, media types, unknown routes).
    ///
    /// - Parameters:
    ///   - head: The request without its body.
    ///   - note: Empty; what is written on it goes to the loop's observer if the request ends here.
    /// - Returns: What becomes of the body.
    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission

    /// Called once the whole request is there.
    ///
    /// The request's bytes are valid during the call only. Exactly one of the exchange's `send`
    /// calls, or `deferResponse`, must be made.
    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange)

    /// Makes what hears of the answers of one event loop.
    ///
    /// Called once for each loop, on its thread; nil by default.
    func makeObserver() -> (any RequestObserver)?
}

extension HTTPHandler {
    /// Nobody hears of answers.
    public func makeObserver() -> (any RequestObserver)? { nil }
}

/// What becomes of a request whose head has arrived.
public enum HTTPAdmission {
    /// Read the body into memory, up to so many octets after decoding; beyond that the answer is 413.
    case collectBody(limit: Int)
    /// Hand the body to a sink as it arrives, up to so many octets after decoding.
    ///
    /// `respond` is called when all of it was taken, with an empty body and the sink in
    /// `HTTPRequest.bodySink`.
    case streamBody(limit: Int, to: any HTTPBodySink)
    /// Answer now, without reading the body.
    ///
    /// With a body outstanding, the connection ends with this answer.
    case refuse(HTTPResponse)
}
