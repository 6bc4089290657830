// SPDX-License-Identifier: Apache-2.0

/// Why the server itself answers a request.
///
/// A closed list: one case per rule a client can break, and per limit of ours.
public enum HTTPFault: Error, Sendable, Hashable, CaseIterable {
    /// The request line is not `method SP target SP version` (RFC 9112 §3).
    case malformedRequestLine
    /// The request target is not of a form that the method allows, or holds a character that no URI has (RFC 9112 §3.2).
    case malformedTarget
    /// A field line breaks the grammar: bare CR or LF, folding, space before the colon, control characters (RFC 9112 §5).
    case malformedField
    /// `Host` is missing, repeated or no authority (RFC 9112 §3.2).
    case malformedHost
    /// A field that may occur once is repeated (`Authorization`, `Content-Type`, …; RFC 9110 §5.3).
    case repeatedField
    /// `Content-Length` and `Transfer-Encoding` do not give one certain length (RFC 9112 §6.3).
    case ambiguousLength
    /// The chunked coding is broken, or its lines are wastefully long (RFC 9112 §7.1).
    case malformedChunk
    /// The content is not what `Content-Encoding: gzip` promises: damaged, cut short, or followed by other bytes.
    case malformedContent
    /// The client stopped sending in the middle of a request (RFC 9112 §8).
    case incompleteRequest
    /// The head did not arrive in time.
    case headerTimeout
    /// The content did not arrive in time, or too slowly.
    case bodyTimeout
    /// The content is larger than the handler takes, or unpacks to too much.
    case bodyTooLarge
    /// The request line is too long.
    case requestLineTooLong
    /// The fields are too many or too large, trailers included.
    case fieldsTooLarge
    /// The content has a coding other than one gzip (RFC 9110 §15.5.16).
    case unsupportedContentCoding
    /// An expectation other than `100-continue` (RFC 9110 §10.1.1).
    case unknownExpectation
    /// A transfer coding other than chunked (RFC 9112 §6.1).
    case unsupportedTransferCoding
    /// A method that no origin server implements: CONNECT.
    case unsupportedMethod
    /// A protocol version other than HTTP/1.x.
    case unsupportedVersion
    /// Too much content is in flight, or too many connections are open.
    case overloaded
    /// The handler took too long.
    case handlerTimeout
    /// The handler gave no answer.
    case handlerFailed

    /// The status that the fault is answered with.
    public var status: HTTPStatus {
        switch self {
        case .malformedRequestLine, .malformedTarget, .malformedField, .malformedHost,
            .repeatedField,
            .ambiguousLength, .malformedChunk, .malformedContent, .incompleteRequest:
            .badRequest
        case .headerTimeout, .bodyTimeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .requestLineTooLong: .uriTooLong
        case .fieldsTooLarge: .requestHeaderFieldsTooLarge
        case .unsupportedContentCoding: .unsupportedMediaType
        case .unknownExpectation: .expectationFailed
        case .unsupportedTransferCoding, .unsupportedMethod: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        case .overloaded, .handlerTimeout: .serviceUnavailable
        case .handlerFailed: .internalServerError
        }
    }

    /// Whether the connection ends with the answer, because where the next request begins is no longer certain.
    public var closesConnection: Bool {
        switch self {
        case .handlerTimeout, .handlerFailed: false
        default: true
        }
    }

    /// Whether the same request may succeed a little later, so that `Retry-After` is worth saying.
    public var isTransient: Bool { status == .serviceUnavailable }

    /// One sentence on what was wrong, for the client.
    public var detail: StaticString {
        switch self {
        case .malformedRequestLine: "The request line is malformed."
        case .malformedTarget: "The request target is malformed."
        case .malformedField: "A header field is malformed."
        case .malformedHost: "The request needs exactly one valid Host field."
        case .repeatedField: "A header field that may occur once is repeated."
        case .ambiguousLength: "The length of the content is not certain."
        case .malformedChunk: "The chunked content is malformed."
        case .malformedContent: "The content is not a single, complete gzip member."
        case .incompleteRequest: "The request ended before it was complete."
        case .headerTimeout: "The header did not arrive in time."
        case .bodyTimeout: "The content did not arrive in time."
        case .bodyTooLarge: "The content is too large."
        case .requestLineTooLong: "The request line is too long."
        case .fieldsTooLarge: "The header fields are too large."
        case .unsupportedContentCoding: "The only supported content coding is gzip, once."
        case .unknownExpectation: "The only supported expectation is 100-continue."
        case .unsupportedTransferCoding: "The only supported transfer coding is chunked."
        case .unsupportedMethod: "The method is not implemented."
        case .unsupportedVersion: "The only supported protocol version is HTTP/1."
        case .overloaded: "The server is busy."
        case .handlerTimeout: "The request took too long."
        case .handlerFailed: "The request could not be answered."
        }
    }
}
