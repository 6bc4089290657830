// SPDX-License-Identifier: Apache-2.0

import CookieSyncClient

/// Reads one HTTP/1.1 response (RFC 9112) off a connection that is closed after it.
///
/// Interim responses (1xx) are passed over. The content ends with its `Content-Length`, its last chunk, or the
/// connection. Sizes are bounded, as the bytes are not trusted.
struct ResponseReader {
    static let maximumHeadBytes = 1 << 18
    static let maximumBodyBytes = 1 << 29

    private var buffer: [UInt8] = []
    private var position = 0

    /// Reads the response.
    ///
    /// - Parameter more: Answers the next bytes; empty at the end.
    /// - Returns: The response, without interim ones.
    /// - Throws: What `more` throws, and when the bytes are no whole response.
    mutating func read(
        more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> TransportResponse {
        while true {
            let (status, fields) = try head(more)
            if 100..<200 ~= status { continue }
            let body = try body(status, fields, more)
            return TransportResponse(status: status, fields: fields, body: body)
        }
    }

    private mutating func head(
        _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> (Int, [(name: String, value: String)]) {
        let start = try line(more)
        let parts = start.split(separator: " ", maxSplits: 2)
        guard start.hasPrefix("HTTP/1."), parts.count >= 2, parts[1].utf8.count == 3,
            let status = Int(parts[1])
        else { throw Self.malformed("what answers is no HTTP/1.1 server") }
        var fields: [(name: String, value: String)] = []
        var size = 0
        while true {
            let line = try line(more)
            if line.isEmpty { return (status, fields) }
            size += line.utf8.count
            guard size <= Self.maximumHeadBytes, let colon = line.firstIndex(of: ":") else {
                throw Self.malformed("the head of the answer is malformed")
            }
            let value = line[line.index(after: colon)...].trimmed
            fields.append((String(line[..<colon]), String(value)))
        }
    }

    private mutating func body(
        _ status: Int, _ fields: [(name: String, value: String)],
        _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> [UInt8] {
        if status == 204 || status == 304 { return [] }
        func value(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name }?.value
        }
        if let coding = value("transfer-encoding") {
            guard coding.lowercased() == "chunked" else {
                throw Self.malformed("the answer has an unknown transfer coding")
            }
            return try chunks(more)
        }
        if let text = value("content-length") {
            guard let length = Int(text), 0...Self.maximumBodyBytes ~= length else {
                throw Self.malformed("the answer's length is malformed")
            }
            return try take(length, more)
        }
        while try fill(more) {
            guard buffer.count - position <= Self.maximumBodyBytes else {
                throw Self.malformed("the answer is too long")
            }
        }
        return Array(buffer[position...])
    }

    private mutating func chunks(
        _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let digits = try line(more).prefix { $0 != ";" }.trimmed
            guard let size = Int(digits, radix: 16), size >= 0,
                size <= Self.maximumBodyBytes - body.count
            else { throw Self.malformed("a chunk of the answer is malformed") }
            if size == 0 { break }
            body += try take(size, more)
            guard try line(more).isEmpty else {
                throw Self.malformed("a chunk of the answer is malformed")
            }
        }
        while try !line(more).isEmpty {}  // trailer fields
        return body
    }

    private mutating func take(
        _ count: Int, _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> [UInt8] {
        while buffer.count - position < count {
            guard try fill(more) else { throw Self.malformed("the answer ended too early") }
        }
        defer { position += count }
        return Array(buffer[position..<position + count])
    }

    /// The next line without its end.
    private mutating func line(
        _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> String {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                let hasReturn = end > position && buffer[end - 1] == 0x0D
                let text = buffer[position..<(hasReturn ? end - 1 : end)]
                position = end + 1
                return String(decoding: text, as: UTF8.self)
            }
            searched = buffer.count
            guard searched - position <= Self.maximumHeadBytes else {
                throw Self.malformed("a line of the answer is too long")
            }
            guard try fill(more) else { throw Self.malformed("the answer ended too early") }
        }
    }

    /// Gets more bytes; false at the end.
    private mutating func fill(
        _ more: () throws(TransportError) -> [UInt8]
    ) throws(TransportError) -> Bool {
        let piece = try more()
        buffer += piece
        return !piece.isEmpty
    }

    private static func malformed(_ message: String) -> TransportError {
        TransportError(message, isUnsent: false)
    }
}

extension Substring {
    /// The text without spaces and tabs at either end.
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }
}
