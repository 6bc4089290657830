// SPDX-License-Identifier: Apache-2.0

/// A finished response that can travel between threads.
public struct HTTPResponse: Sendable {
    /// Where the content of a response comes from.
    public enum Body: Sendable {
        /// All of it, in memory.
        ///
        /// Compressed by the server where the request allows it.
        case bytes([UInt8])
        /// Pulled piece by piece as the client reads; sent chunked, or until close to an HTTP/1.0
        /// client.
        ///
        /// Never compressed.
        case stream(any HTTPBodySource)
    }

    /// The status.
    public var status: HTTPStatus
    /// The fields, without those that are the server's own.
    public var fields: HTTPFields
    /// The content.
    public var body: Body
    /// Whether the connection ends with this response.
    public var closesConnection: Bool

    /// A response; without a body by default.
    public init(
        status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: Body = .bytes([]),
        closesConnection: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.closesConnection = closesConnection
    }

    /// A response whose content is in memory.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: [UInt8]) {
        self.init(status: status, fields: fields, body: .bytes(body))
    }
}
