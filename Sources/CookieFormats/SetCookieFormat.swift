// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// Set-Cookie lines, one a line, as they stand in the head of a response: `Set-Cookie: sid=1; Path=/`.
//
// They mean nothing without the URL that answered, which the caller gives. The field's name may be left out from all of
// them, and a head that was pasted whole, with its status line and its other fields, the content after it, or with all
// that `curl -v` says, is taken as well.
enum SetCookieFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString { "text/plain" }

    private static let fieldName = Array("set-cookie:".utf8)

    static func recognises(_ opening: FileOpening) -> Bool {
        var isRecognised = false
        forEachLine(of: opening.bytes) { line in
            guard !line.isEmpty else { return true }
            isRecognised = value(of: line) != nil
            return !isRecognised && (isStatusLine(line) || isField(line) || isRemark(line))
        }
        return isRecognised
    }

    /// Whether a file that comes with a URL may be lines without the field's name.
    static func mayBeBare(_ opening: FileOpening) -> Bool {
        let line = opening.bytes.prefix { $0 != UInt8(ascii: "\n") }
        return opening.json == nil && line.contains(UInt8(ascii: "="))
            && !line.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D || $0 == UInt8(ascii: "<") }
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        guard opening.json == nil, !opening.begins(with: "<?xml"),
            !NetscapeFormat.recognises(opening)
        else {
            throw .notTheFormat(detail: "The file has no Set-Cookie lines.", offset: nil)
        }
        guard let url = context.url else { throw .needsURL }
        return LineReader(Lines(url: url))
    }

    private struct Lines: LineFormat {
        let url: [UInt8]
        /// Whether the file is a head with other fields, too, so that its content may follow after a blank line.
        private var isHead = false
        private var hasStatus = false
        private var isContent = false

        init(url: [UInt8]) {
            self.url = url
        }

        mutating func content(of line: ArraySlice<UInt8>) -> FileEntry.Content? {
            guard !withoutMark(line).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                isContent = isHead
                return nil
            }
            if isStatusLine(line) {
                (isHead, hasStatus, isContent) = (true, true, false)
                return nil
            }
            if let value = value(of: line) {
                // Content may have such lines too; of several heads, the next begins with its status.
                return isContent && hasStatus ? nil : response(value)
            }
            if isContent || isRemark(line) { return nil }
            guard !isField(line) else {
                isHead = true
                return nil
            }
            return response(line)
        }

        private func response(_ value: ArraySlice<UInt8>) -> FileEntry.Content {
            .response(RecordedLine(line: Array(value), url: url, time: nil))
        }
    }

    /// Whether a line is no part of the answer: a comment, or what `curl -v` says of the connection and of the request.
    private static func isRemark(_ line: ArraySlice<UInt8>) -> Bool {
        if line.first == UInt8(ascii: "#") { return true }
        return ["* ", "> ", "{ [", "} ["].contains { line.starts(with: $0.utf8) }
            || line.elementsEqual(">".utf8)
    }

    /// What follows the field's name, if the line has it.
    private static func value(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let line = withoutMark(line)
        guard line.count >= fieldName.count,
            zip(line, fieldName).allSatisfy({ byte, expected in
                byte == expected
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte && byte | 0x20 == expected
            })
        else { return nil }
        return line.dropFirst(fieldName.count)
    }

    private static func withoutMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.starts(with: [UInt8(ascii: "<"), UInt8(ascii: " ")]) ? line.dropFirst(2) : line
    }

    private static func isStatusLine(_ line: ArraySlice<UInt8>) -> Bool {
        let line = withoutMark(line)
        return line.starts(with: "HTTP/".utf8) || line.starts(with: ":status:".utf8)
    }

    /// Whether a line is another field: a token, a colon, and a blank or nothing.
    private static func isField(_ line: ArraySlice<UInt8>) -> Bool {
        let line = withoutMark(line)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            return false
        }
        let isBlank = line[(colon + 1)...].first.map { $0 == 0x20 || $0 == 0x09 } ?? true
        return isBlank
            && line[..<colon].allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        var lost = LostAttributes(of: cookie)
        if cookie.identity.path.count > CookieLimits.attributeOctets { lost.insert(.path) }
        if let expires = cookie.expires, expires.milliseconds % 1000 != 0 {
            lost.insert(.expiresFraction)
        }
        guard let url = context.url else { return lost.union(.domain) }
        let host = url.host.bytes
        let isBelow =
            host.count > cookie.identity.domain.count
            && host.suffix(cookie.identity.domain.count).elementsEqual(cookie.identity.domain)
            && host[host.count - cookie.identity.domain.count - 1] == UInt8(ascii: ".")
        if host != cookie.identity.domain, cookie.identity.hostOnly || !isBelow {
            lost.insert(.domain)
        }
        if let key = cookie.identity.partitionKey, key != context.partitionKey {
            lost.insert(.partitionKey)
        }
        if cookie.secure, !context.isSecure { lost.insert(.secure) }
        return lost
    }

    struct Body: FileBody {
        init(_ cookies: inout CookieSelection, _ context: WritingContext) {}

        mutating func begin(into bytes: inout [UInt8]) {}

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            bytes += Array("Set-Cookie: ".utf8)
            SetCookieText(cookie).append(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }

        mutating func end(into bytes: inout [UInt8]) {}
    }
}
