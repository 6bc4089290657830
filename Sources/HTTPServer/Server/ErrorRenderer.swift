// SPDX-License-Identifier: Apache-2.0

/// Turns faults of the protocol into answers, in the format that the service uses for its own errors.
public protocol ErrorRenderer: Sendable {
    /// The answer to a fault.
    ///
    /// `Connection: close` and `Retry-After` are added by the server as the fault demands.
    func response(to fault: HTTPFault) -> HTTPResponse
}

/// Answers faults with one line of plain text.
public struct PlainErrorRenderer: ErrorRenderer {
    /// The renderer.
    public init() {}

    /// One line of plain text: what was wrong.
    public func response(to fault: HTTPFault) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append("Content-Type", "text/plain; charset=utf-8")
        var body: [UInt8] = []
        body.append(fault.detail)
        body.append(ASCII.lineFeed)
        return HTTPResponse(status: fault.status, fields: fields, body: body)
    }
}
