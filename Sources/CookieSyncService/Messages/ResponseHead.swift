// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire

// A raw response head, as `curl -i` prints it (`message/http`, RFC 9112 section 10.1).
//
//     HTTP/1.1 200 Connection established
//                                    what a proxy says of its tunnel is skipped
//     HTTP/1.1 100 Continue          heads of 1xx responses are, too
//
//     HTTP/2 200                     any version; curl writes HTTP/2 heads like this
//     set-cookie: sid=1; Path=/      lines end with CRLF or LF; a line that begins with a blank goes on with
//                                    the one before it
//     <html>...                      after the blank line comes the body, which is not read; for what
//                                    `curl -L` writes, see ResponseChain
//
// A value keeps its bytes, NUL and lone CR included, so that the cookie rules can judge them.

/// The head of a response.
struct ResponseHead: Sendable {
    /// How large the heads, skipped ones included, may be.
    static let maximumBytes = 262_144

    /// The status.
    let status: Int
    /// The header fields, in their order.
    let fields: [ResponseField]

    /// Reads the next head that is neither of a 1xx response nor of a proxy's tunnel.
    ///
    /// - Throws: `malformedMessage` without a status line or a blank line that ends the head, `bodyTooLarge` when the
    ///   heads are too large.
    init(from lines: inout MessageLines) throws(Problem) {
        while true {
            guard let line = lines.next(), let status = Self.status(of: line) else {
                throw Problem(
                    .malformedMessage,
                    "The body must begin with a status line such as HTTP/1.1 200 OK.")
            }
            var fields: [(name: [UInt8], value: [UInt8])] = []
            while true {
                guard let line = lines.next() else {
                    throw lines.isCut
                        ? Problem(.bodyTooLarge, "The head is over \(Self.maximumBytes) bytes.")
                        : Problem(.malformedMessage, "The head must end with a blank line.")
                }
                guard !line.isEmpty else { break }
                Self.add(line, to: &fields)
            }
            guard !(100...199 ~= status && status != 101), !Self.isTunnel(line) else { continue }
            self.status = status
            self.fields = fields.map {
                ResponseField(name: $0.name, value: $0.value, mayBeFolded: false)
            }
            return
        }
    }

    /// Whether a head comes next.
    static func comesNext(in lines: MessageLines) -> Bool {
        var ahead = lines
        return ahead.next().flatMap(status) != nil
    }

    // `HTTP/` digits [`.` digits] SP three digits [SP reason]
    private static func status(of line: UnsafeBufferPointer<UInt8>) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let blank = line.firstIndex(of: 0x20),
            line[5..<blank].allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), blank > 5
        else { return nil }
        let rest = line[(blank + 1)...]
        let code = rest.prefix(3)
        guard code.count == 3, rest.count == 3 || rest[blank + 4] == 0x20 else { return nil }
        return DecimalDigits.parse(code).flatMap(Int.init(exactly:))
    }

    /// Whether a status line is a proxy's answer to CONNECT, in the words that all proxies use.
    ///
    /// By these alone: what follows any other head is content, which must not be taken for a head.
    private static func isTunnel(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let words = Array("200 connection established".utf8)
        return line.count > words.count && line.dropLast(words.count).last == 0x20
            && zip(line.suffix(words.count), words).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func add(
        _ line: UnsafeBufferPointer<UInt8>, to fields: inout [(name: [UInt8], value: [UInt8])]
    ) {
        if line[0].isBlank {
            guard let last = fields.indices.last else { return }
            fields[last].value += [0x20] + line.trimmed
            return
        }
        // A line without a colon is no field; browsers pass over it too.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        fields.append(
            (
                Array(line.slice(0..<colon).trimmed),
                Array(line.slice(colon + 1..<line.count).trimmed)
            ))
    }
}

/// The lines of a message, as far as heads may be in it.
struct MessageLines {
    /// Whether there is more of the message than is looked at.
    let isCut: Bool
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(of message: UnsafeBufferPointer<UInt8>) {
        isCut = message.count > ResponseHead.maximumBytes
        text = message.slice(0..<min(message.count, ResponseHead.maximumBytes))
    }

    /// The next line without its end, or nil when no line end follows.
    mutating func next() -> UnsafeBufferPointer<UInt8>? {
        guard let end = text[position...].firstIndex(of: 0x0A) else { return nil }
        defer { position = end + 1 }
        let hasCR = end > position && text[end - 1] == 0x0D
        return text.slice(position..<(hasCR ? end - 1 : end))
    }
}
