// SPDX-License-Identifier: Apache-2.0

/// The types of problems that the service answers with: a closed list, documented in docs/problems.md.
///
/// The raw value is the slug that a problem's `type` ends in.
enum ProblemKind: String, CaseIterable, Sendable {
    case malformedRequest = "malformed-request"
    case malformedJSON = "malformed-json"
    case malformedMessage = "malformed-message"
    case unauthenticated
    case forbidden
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case ambiguousHost = "ambiguous-host"
    case cursorGone = "cursor-gone"
    case preconditionFailed = "precondition-failed"
    case bodyTooLarge = "body-too-large"
    case targetTooLong = "target-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case expectationFailed = "expectation-failed"
    case invalidRequest = "invalid-request"
    case cookiesRefused = "cookies-refused"
    case unreadableFile = "unreadable-file"
    case keyReused = "idempotency-key-reused"
    case tooManyFollowers = "too-many-followers"
    case tooManyRequests = "too-many-requests"
    case headTooLarge = "head-too-large"
    case `internal`
    case integrityFailure = "integrity-failure"
    case notImplemented = "not-implemented"
    case unavailable
    case busy
    case storageCorrupt = "storage-corrupt"
    case storageSchemaTooNew = "storage-schema-too-new"
    case storageReadOnly = "storage-read-only"
    case outcomeUnknown = "outcome-unknown"
    case versionNotSupported = "version-not-supported"
    case storageFull = "storage-full"
    case quotaExceeded = "quota-exceeded"

    /// A stable URI.
    var type: String { "urn:cookiesync:problem:\(rawValue)" }

    /// The status a problem of this type is answered with.
    var status: UInt16 {
        switch self {
        case .malformedRequest, .malformedJSON, .malformedMessage: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .requestTimeout: 408
        case .ambiguousHost: 409
        case .cursorGone: 410
        case .preconditionFailed: 412
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .expectationFailed: 417
        case .invalidRequest, .cookiesRefused, .unreadableFile, .keyReused: 422
        case .tooManyFollowers: 429
        case .tooManyRequests: 429
        case .headTooLarge: 431
        case .internal, .integrityFailure: 500
        case .notImplemented: 501
        case .unavailable, .busy, .storageCorrupt, .storageSchemaTooNew, .storageReadOnly,
            .outcomeUnknown:
            503
        case .versionNotSupported: 505
        case .storageFull, .quotaExceeded: 507
        }
    }

    /// What kind of problem it is.
    var title: String {
        switch self {
        case .malformedRequest: "The request is malformed"
        case .malformedJSON: "The body is not JSON"
        case .malformedMessage: "The body is not a response head"
        case .unauthenticated: "A valid token is needed"
        case .forbidden: "The request is not allowed"
        case .notFound: "There is no such thing"
        case .methodNotAllowed: "The method is not allowed here"
        case .notAcceptable: "No acceptable media type"
        case .requestTimeout: "The request came too slowly"
        case .ambiguousHost: "The address belongs to several hosts"
        case .cursorGone: "The changes since then are not there any more"
        case .preconditionFailed: "The jar is at another revision"
        case .bodyTooLarge: "The body is too large"
        case .targetTooLong: "The request target is too long"
        case .unsupportedMediaType: "The media type is not supported"
        case .expectationFailed: "The expectation is not supported"
        case .invalidRequest: "The request breaks a rule"
        case .cookiesRefused: "Some cookies were refused, so none was stored"
        case .keyReused: "The idempotency key was used for another request"
        case .unreadableFile: "The file is not of the format"
        case .tooManyFollowers: "Too many follow the tenant's changes"
        case .tooManyRequests: "Too many requests"
        case .headTooLarge: "The header fields are too large"
        case .internal: "Something went wrong"
        case .integrityFailure: "The jar's data is not what was stored"
        case .notImplemented: "Not implemented"
        case .unavailable: "The service is not available now"
        case .busy: "The service is busy"
        case .storageCorrupt: "The tenant's data is damaged"
        case .storageSchemaTooNew: "The tenant's data is of a newer version"
        case .storageReadOnly: "The storage takes no writes now"
        case .outcomeUnknown: "Whether the write took effect is unknown"
        case .versionNotSupported: "The protocol version is not supported"
        case .storageFull: "No room is left"
        case .quotaExceeded: "The tenant has as much as it may have"
        }
    }

    /// Seconds after which the same request is worth repeating; nil when waiting alone does not help.
    var retryAfter: Int? {
        switch self {
        case .unavailable, .busy, .tooManyRequests: 1
        case .storageReadOnly, .outcomeUnknown, .tooManyFollowers: 5
        case .quotaExceeded: 60
        default: nil
        }
    }
}
