// SPDX-License-Identifier: Apache-2.0

/// A final status code (RFC 9110 §15) with its reason phrase.
public struct HTTPStatus: Hashable, Sendable {
    /// The code, 200 to 599.
    public let code: UInt16

    /// A status of any final code.
    ///
    /// - Parameter code: 200 to 599; anything else becomes 500, so that no answer is ever malformed.
    public init(code: UInt16) {
        self.code = (200...599).contains(code) ? code : 500
    }

    /// Whether a message of this status never has content (RFC 9110 §6.4.1).
    public var forbidsContent: Bool { code == 204 || code == 304 }

    /// The reason phrase of RFC 9110, or of the RFC that registered the code; empty when it has none.
    public var reason: StaticString {
        switch code {
        case 200..<400: successReason
        case 400..<500: clientErrorReason
        default: serverErrorReason
        }
    }

    private var successReason: StaticString {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        default: ""
        }
    }

    private var clientErrorReason: StaticString {
        switch code {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        default: ""
        }
    }

    private var serverErrorReason: StaticString {
        switch code {
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}

extension HTTPStatus {
    /// 200.
    public static let ok = HTTPStatus(code: 200)
    /// 201.
    public static let created = HTTPStatus(code: 201)
    /// 202.
    public static let accepted = HTTPStatus(code: 202)
    /// 204.
    public static let noContent = HTTPStatus(code: 204)
    /// 304.
    public static let notModified = HTTPStatus(code: 304)
    /// 400.
    public static let badRequest = HTTPStatus(code: 400)
    /// 401.
    public static let unauthorized = HTTPStatus(code: 401)
    /// 403.
    public static let forbidden = HTTPStatus(code: 403)
    /// 404.
    public static let notFound = HTTPStatus(code: 404)
    /// 405.
    public static let methodNotAllowed = HTTPStatus(code: 405)
    /// 406.
    public static let notAcceptable = HTTPStatus(code: 406)
    /// 408.
    public static let requestTimeout = HTTPStatus(code: 408)
    /// 409.
    public static let conflict = HTTPStatus(code: 409)
    /// 410.
    public static let gone = HTTPStatus(code: 410)
    /// 412.
    public static let preconditionFailed = HTTPStatus(code: 412)
    /// 413.
    public static let contentTooLarge = HTTPStatus(code: 413)
    /// 414.
    public static let uriTooLong = HTTPStatus(code: 414)
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(code: 415)
    /// 417.
    public static let expectationFailed = HTTPStatus(code: 417)
    /// 422.
    public static let unprocessableContent = HTTPStatus(code: 422)
    /// 428.
    public static let preconditionRequired = HTTPStatus(code: 428)
    /// 429.
    public static let tooManyRequests = HTTPStatus(code: 429)
    /// 431.
    public static let requestHeaderFieldsTooLarge = HTTPStatus(code: 431)
    /// 500.
    public static let internalServerError = HTTPStatus(code: 500)
    /// 501.
    public static let notImplemented = HTTPStatus(code: 501)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(code: 503)
    /// 505.
    public static let httpVersionNotSupported = HTTPStatus(code: 505)
    /// 507.
    public static let insufficientStorage = HTTPStatus(code: 507)
}
