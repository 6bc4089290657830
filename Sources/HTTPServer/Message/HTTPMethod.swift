// SPDX-License-Identifier: Apache-2.0

/// A request method (RFC 9110 §9).
///
/// Methods are case-sensitive: `get` is `.other`.
public enum HTTPMethod: Sendable, Hashable, CaseIterable {
    /// GET.
    case get
    /// HEAD.
    ///
    /// The server drops the body of the answer; a handler treats it as GET.
    case head
    /// POST.
    case post
    /// PUT.
    case put
    /// DELETE.
    case delete
    /// PATCH.
    case patch
    /// OPTIONS.
    case options
    /// Any other token; its bytes are in `HTTPRequest.methodName`.
    case other

    /// The method as it is written in a request, empty for `other`.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .other: ""
        }
    }

    /// Reads a method from the bytes of a request line.
    init(_ bytes: Span<UInt8>) {
        switch bytes.count {
        case 3 where bytes.isExactly("GET"): self = .get
        case 3 where bytes.isExactly("PUT"): self = .put
        case 4 where bytes.isExactly("HEAD"): self = .head
        case 4 where bytes.isExactly("POST"): self = .post
        case 5 where bytes.isExactly("PATCH"): self = .patch
        case 6 where bytes.isExactly("DELETE"): self = .delete
        case 7 where bytes.isExactly("OPTIONS"): self = .options
        default: self = .other
        }
    }
}
