// SPDX-License-Identifier: Apache-2.0

/// Turns faults of the protocol into answers, in the format that the service uses for its own errors.
public protocol ErrorRenderer: Sendable {
    /// The answer to a fault.
    ///
    /// `Connection: close` and `Retry-After` are added by the server as the fault demands.
    ///
    /// - Parameters:
    ///   - fault: What went wrong.
    ///   - note: What the handler has written about the request; empty when it never saw it.
    /// - Returns: The answer.
    func response(to fault: HTTPFault, _ note: inout RequestNote) -> HTTPResponse
}

/// Answers faults with one line of plain text.
public struct PlainErrorRenderer: ErrorRenderer {
    /// The renderer.
    public init() {}

    /// One line of plain text: what was wrong.
    public func response(to fault: HTTPFault, _ note: inout RequestNote) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append("Content-Type", "text/plain; charset=utf-8")
        var body: [UInt8] = []
        body.append(fault.detail)
        body.append(ASCII.lineFeed)
        return HTTPResponse(status: fault.status, fields: fields, body: body)
    }
}
