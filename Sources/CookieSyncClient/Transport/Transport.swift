// SPDX-License-Identifier: Apache-2.0

/// A request to the service, ready to be sent.
public struct TransportRequest: Sendable {
    /// Where to.
    public let server: ServerAddress
    /// The method, in capitals.
    public let method: String
    /// The path and the query, percent-encoded.
    public let target: String
    /// The fields that the request must carry besides `Host` and `Content-Length`.
    public let fields: [(name: String, value: String)]
    /// The content; nil for a request without any.
    public let body: [UInt8]?
    /// How many seconds may go by without a sign from the service.
    public let timeoutSeconds: Int
    /// Hears how many octets of the content have been handed over, now and then.
    public let progress: (@Sendable (_ sent: Int) -> Void)?

    init(
        server: ServerAddress, method: String, target: String,
        fields: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeoutSeconds: Int, progress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) {
        self.server = server
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.timeoutSeconds = timeoutSeconds
        self.progress = progress
    }
}

/// An answer of the service.
public struct TransportResponse: Sendable {
    /// The status.
    public let status: Int
    /// The fields, in any case and order.
    public let fields: [(name: String, value: String)]
    /// The content, without any coding.
    public let body: [UInt8]

    /// An answer made of its parts.
    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field of a name, which is given in lower case; nil without it.
    func field(_ lowercased: String) -> String? {
        fields.first { $0.name.lowercased() == lowercased }?.value
    }
}

/// Why no answer came.
public struct TransportError: Error, Sendable {
    /// What failed, in words; holds no cookie, header or token.
    public let message: String
    /// Whether it is certain that the service has not seen the request.
    public let isUnsent: Bool

    /// An error.
    public init(_ message: String, isUnsent: Bool) {
        self.message = message
        self.isUnsent = isUnsent
    }
}

/// Carries requests to the service.
///
/// A conformer sends each request once, as it is, with no field of its own but those that HTTP needs. It follows no
/// redirect, keeps no cookie, caches nothing, and gives every answer back, whatever its status.
public protocol Transport: Sendable {
    /// Sends a request and reads its answer to the end.
    ///
    /// - Throws: When no whole answer came, also because the task was cancelled.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}
