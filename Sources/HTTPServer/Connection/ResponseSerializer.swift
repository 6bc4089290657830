// SPDX-License-Identifier: Apache-2.0
// Writes responses into a loop's output: one copy per part, nothing computed twice. The date and the fields that every
// answer carries are rendered once per second. The server alone decides about length, connection and date.

/// Writes heads and bodies for one event loop.
struct ResponseSerializer: ~Copyable {
    private let defaultFields: HTTPFields
    private let compresses: Bool
    private let minimumCompressedBytes: Int
    private let deflater: GzipDeflater
    private var commonLines: [UInt8] = []
    private var renderedSecond: Int64 = -1
    private var compressed: [UInt8] = []

    init(_ configuration: ServerConfiguration) {
        defaultFields = configuration.prepareDefaultFields()
        compresses = configuration.compressesResponses
        minimumCompressedBytes = configuration.minimumCompressedBytes
        deflater = GzipDeflater(level: Int32(configuration.compressionLevel))
    }

    /// Whether an answer to a request of these terms would be compressed.
    func codingPolicy(_ terms: ResponseTerms) -> CodingPolicy {
        guard compresses, terms.acceptsGzip else { return .never }
        return CodingPolicy(minimumBytes: minimumCompressedBytes)
    }

    /// Sets the time that `Date` gives, in seconds since 1970.
    mutating func setTime(_ second: Int64) {
        guard second != renderedSecond else { return }
        renderedSecond = second
        var lines: [UInt8] = []
        lines.append("Date: ")
        HTTPDate.append(second, to: &lines)
        lines.append("\r\n")
        lines.append(contentsOf: defaultFields.lines)
        commonLines = lines
    }

    /// Writes a whole response.
    mutating func write(
        _ status: HTTPStatus, _ fields: HTTPFields, _ body: [UInt8], terms: ResponseTerms,
        closes: Bool, to output: inout [UInt8]
    ) {
        writeStart(status, fields, to: &output)
        guard !status.forbidsContent else { return writeEnd(terms, closes, to: &output) }
        guard mayVary(body.count, fields) else {
            writeLength(body.count, terms, closes, to: &output)
            if !terms.isHead { output.append(body.span) }
            return
        }
        if !fields.variesByEncoding { output.append("Vary: Accept-Encoding\r\n") }
        guard codingPolicy(terms).compresses(body.count),
            deflater.compress(body.span, into: &compressed)
        else {
            writeLength(body.count, terms, closes, to: &output)
            if !terms.isHead { output.append(body.span) }
            return
        }
        output.append("Content-Encoding: gzip\r\n")
        writeLength(compressed.count, terms, closes, to: &output)
        if !terms.isHead { output.append(contentsOf: compressed) }
        if compressed.capacity > Self.scratchLimit { compressed = [] }
    }

    /// Writes the head of a response whose content follows in pieces: in chunks, or until close to an HTTP/1.0 client.
    func writeStreamHead(
        _ status: HTTPStatus, _ fields: HTTPFields, terms: ResponseTerms, closes: Bool,
        to output: inout [UInt8]
    ) {
        writeStart(status, fields, to: &output)
        if !terms.isLegacy, !status.forbidsContent {
            output.append("Transfer-Encoding: chunked\r\n")
        }
        writeEnd(terms, closes, to: &output)
    }

    private static let scratchLimit = 1 << 20

    /// Whether another client would be sent this content with another coding.
    private func mayVary(_ bodyCount: Int, _ fields: HTTPFields) -> Bool {
        compresses && bodyCount >= minimumCompressedBytes && !fields.hasContentEncoding
    }

    private func writeStart(_ status: HTTPStatus, _ fields: HTTPFields, to output: inout [UInt8]) {
        if status == .ok {
            output.append("HTTP/1.1 200 OK\r\n")
        } else {
            output.append("HTTP/1.1 ")
            output.append(decimal: Int(status.code))
            output.append(ASCII.space)
            output.append(status.reason)
            output.append("\r\n")
        }
        output.append(commonLines.span)
        output.append(fields.lines.span)
    }

    private func writeLength(
        _ count: Int, _ terms: ResponseTerms, _ closes: Bool, to output: inout [UInt8]
    ) {
        output.append("Content-Length: ")
        output.append(decimal: count)
        output.append("\r\n")
        writeEnd(terms, closes, to: &output)
    }

    private func writeEnd(_ terms: ResponseTerms, _ closes: Bool, to output: inout [UInt8]) {
        if closes {
            output.append("Connection: close\r\n\r\n")
        } else if terms.isLegacy {
            output.append("Connection: keep-alive\r\n\r\n")
        } else {
            output.append("\r\n")
        }
    }
}
