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
        guard !status.forbidsContent else {
            return write(
                status, fields, "", Span(), isMeasured: false, terms, closes, to: &output)
        }
        guard mayVary(body.count, fields) else {
            return write(status, fields, "", body.span, terms, closes, to: &output)
        }
        let varies = fields.variesByEncoding
        guard codingPolicy(terms).compresses(body.count),
            deflater.compress(body.span, into: &compressed)
        else {
            let line: StaticString = varies ? "" : "Vary: Accept-Encoding\r\n"
            return write(status, fields, line, body.span, terms, closes, to: &output)
        }
        let lines: StaticString =
            varies
            ? "Content-Encoding: gzip\r\n"
            : "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n"
        write(status, fields, lines, compressed.span, terms, closes, to: &output)
        if compressed.capacity > Self.scratchLimit { compressed = [] }
    }

    /// Writes the head of a response whose content follows in pieces: in chunks, or until close to an HTTP/1.0 client.
    func writeStreamHead(
        _ status: HTTPStatus, _ fields: HTTPFields, terms: ResponseTerms, closes: Bool,
        to output: inout [UInt8]
    ) {
        let isChunked = !terms.isLegacy && !status.forbidsContent
        write(
            status, fields, isChunked ? "Transfer-Encoding: chunked\r\n" : "", Span(),
            isMeasured: false, terms, closes, to: &output)
    }

    private static let scratchLimit = 1 << 20

    /// Whether another client would be sent this content with another coding.
    private func mayVary(_ bodyCount: Int, _ fields: HTTPFields) -> Bool {
        compresses && bodyCount >= minimumCompressedBytes && !fields.hasContentEncoding
    }

    /// Writes a head and what follows it: one check for room, and then nothing but copies.
    ///
    /// `lines` are further field lines; `isMeasured` says whether the head tells how long the content is.
    private func write(
        _ status: HTTPStatus, _ fields: HTTPFields, _ lines: StaticString, _ content: Span<UInt8>,
        isMeasured: Bool = true, _ terms: ResponseTerms, _ closes: Bool, to output: inout [UInt8]
    ) {
        let room =
            commonLines.count + fields.lines.count + lines.utf8CodeUnitCount + content.count
            + status.reason.utf8CodeUnitCount + Self.frameBytes
        output.append(addingCapacity: room) { output in
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
            output.append(lines)
            if isMeasured {
                output.append("Content-Length: ")
                output.append(decimal: content.count)
                output.append("\r\n")
            }
            output.append(Self.lastLines(terms, closes))
            if !terms.isHead { output.append(content) }
        }
    }

    /// More than the status line, the length and the last lines take.
    private static let frameBytes = 128

    private static func lastLines(_ terms: ResponseTerms, _ closes: Bool) -> StaticString {
        if closes { return "Connection: close\r\n\r\n" }
        return terms.isLegacy ? "Connection: keep-alive\r\n\r\n" : "\r\n"
    }
}
