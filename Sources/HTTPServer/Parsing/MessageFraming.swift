// SPDX-License-Identifier: Apache-2.0
// How long a request's content is (RFC 9112 §6), in the strictest reading: exactly one Content-Length of digits, or
// exactly one Transfer-Encoding that is `chunked`, or neither. The RFC lets a server repair some of the rest, and each
// repair has been a request-smuggling hole somewhere.

/// Gathers the fields that frame the content.
struct MessageFraming: Sendable {
    private enum TransferCoding {
        case chunked
        case unknown
        case malformed
    }

    private var contentLength: Int?
    private var transferCoding: TransferCoding?

    mutating func takeContentLength(_ value: Span<UInt8>) throws(HTTPFault) {
        guard contentLength == nil, !value.isEmpty else { throw .ambiguousLength }
        var length = 0
        var overflows = false
        for index in value.indices {
            guard value[index].isDigit else { throw .ambiguousLength }
            let (scaled, tooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeAgain) = scaled.addingReportingOverflow(
                Int(value[index] - ASCII.zero))
            overflows = overflows || tooLarge || tooLargeAgain
            length = overflows ? 0 : sum
        }
        guard !overflows else { throw .bodyTooLarge }
        contentLength = length
    }

    mutating func takeTransferEncoding(_ value: Span<UInt8>) throws(HTTPFault) {
        guard transferCoding == nil else { throw .ambiguousLength }
        if value.equalsIgnoringCase("chunked") {
            transferCoding = .chunked
        } else {
            transferCoding = value.isToken ? .unknown : .malformed
        }
    }

    func conclude(isLegacy: Bool) throws(HTTPFault) -> RequestHead.Framing {
        guard let transferCoding else {
            return contentLength.map { .length($0) } ?? .none
        }
        guard contentLength == nil, !isLegacy else { throw .ambiguousLength }
        switch transferCoding {
        case .chunked: return .chunked
        case .unknown: throw .unsupportedTransferCoding
        case .malformed: throw .ambiguousLength
        }
    }
}
