// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// cookies.txt, as curl, wget, browsers' extensions and Python's MozillaCookieJar write and read it.
//
// One cookie a line, seven fields between tabs: domain, whether hosts below it get the cookie too, path, Secure,
// expiry in seconds, name, value. `#HttpOnly_` before the domain is no comment. There is no standard: what is read is
// what those tools write, and what is written is what all of them read.
enum NetscapeFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString { "text/plain" }

    private static let title = Array("# Netscape HTTP Cookie File\n".utf8)
    private static let titles = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]
        .map { Array($0.utf8) }
    private static let httpOnly = Array("#httponly_".utf8)
    private static let tab = UInt8(ascii: "\t")

    static func recognises(_ opening: FileOpening) -> Bool {
        var isRecognised = false
        forEachLine(of: opening.bytes) { line in
            isRecognised =
                titles.contains { line.starts(with: $0) } || hasFields(line, at: tab)
                || hasFields(line, at: UInt8(ascii: " "))
            return !isRecognised
        }
        return isRecognised
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        guard recognises(opening) else {
            throw .notTheFormat(
                detail: "The file has neither the first line of a cookies.txt nor a cookie's line.",
                offset: nil)
        }
        // As one line it would be a comment, and all of it be lost in silence.
        guard
            opening.bytes.contains(UInt8(ascii: "\n"))
                || !opening.bytes.dropLast().contains(UInt8(ascii: "\r"))
        else {
            throw .notTheFormat(
                detail: "The file's lines end in CR alone; save it with LF or CR LF.", offset: nil)
        }
        return LineReader(Lines())
    }

    /// Whether a line has the fields of a cookie, for a file without its title.
    private static func hasFields(_ line: ArraySlice<UInt8>, at separator: UInt8) -> Bool {
        // Between blanks none is empty, and there may be several of them.
        let fields = line.split(
            separator: separator, maxSplits: 6, omittingEmptySubsequences: separator != tab)
        return fields.count >= 6 && flag(fields[1]) != nil && flag(fields[3]) != nil
    }

    private struct Lines: LineFormat {
        func content(of line: ArraySlice<UInt8>) -> FileEntry.Content? {
            NetscapeFormat.content(of: line)
        }
    }

    /// What a line describes; nil for a comment or a blank line.
    private static func content(of line: ArraySlice<UInt8>) -> FileEntry.Content? {
        var line = line
        let isHTTPOnly =
            line.count >= httpOnly.count
            && zip(line, httpOnly).allSatisfy {
                $0 == $1 || (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 && $0 | 0x20 == $1)
            }
        if isHTTPOnly {
            line = line.dropFirst(httpOnly.count)
        } else if line.first == UInt8(ascii: "#") || line.allSatisfy({ $0 == 0x20 || $0 == tab }) {
            return nil
        }
        do throws(EntryFault) {
            return .cookie(try cookie(line, isHTTPOnly: isHTTPOnly))
        } catch {
            return .fault(error)
        }
    }

    private static func cookie(
        _ line: ArraySlice<UInt8>, isHTTPOnly: Bool
    ) throws(EntryFault) -> FinishedCookie {
        let fields = line.split(separator: tab, maxSplits: 7, omittingEmptySubsequences: false)
        // Without its last tab, as some editors leave it, a line ends in the name of an empty value.
        guard 6...7 ~= fields.count else {
            throw hasFields(line, at: UInt8(ascii: " ")) ? .spacesForTabs : .malformedEntry
        }
        guard !fields[0].isEmpty else { throw .missingDomain }
        guard let coversSubdomains = flag(fields[1]), let isSecure = flag(fields[3]) else {
            throw .invalidFlag
        }
        return FinishedCookie(
            name: Array(fields[5]), value: fields.count == 7 ? Array(fields[6]) : [],
            domain: FileHost.withoutPort(fields[0]), hostOnly: !coversSubdomains,
            path: fields[2].isEmpty ? [UInt8(ascii: "/")] : Array(fields[2]),
            secure: isSecure, httpOnly: isHTTPOnly, expires: try expiry(fields[4]),
            source: .imported)
    }

    private static func flag(_ text: ArraySlice<UInt8>) -> Bool? {
        let lower = text.map { $0 | 0x20 }
        if lower.elementsEqual("true".utf8) { return true }
        return lower.elementsEqual("false".utf8) ? false : nil
    }

    /// Seconds, their fraction dropped; nil, a session cookie, for nothing, 0 and what is below it.
    private static func expiry(_ text: ArraySlice<UInt8>) throws(EntryFault) -> Timestamp? {
        guard !text.isEmpty else { return nil }
        let isNegative = text.first == UInt8(ascii: "-")
        let parts = (isNegative ? text.dropFirst() : text).split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        for part in parts {
            let isNumber = part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard isNumber, !part.isEmpty else { throw .invalidExpiry }
        }
        // Digits only, so nil is a number that is too large.
        let seconds = DecimalDigits.parse(parts[0]) ?? .max
        return isNegative || seconds == 0 ? nil : Timestamp(fileSeconds: Double(seconds))
    }

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        var lost = LostAttributes(of: cookie)
        if cookie.identity.name.contains(tab) { lost.insert(.name) }
        if cookie.value.bytes.contains(tab) { lost.insert(.value) }
        if cookie.identity.path.contains(tab) { lost.insert(.path) }
        if cookie.identity.partitionKey != nil { lost.insert(.partitionKey) }
        if cookie.sameSite != .unset { lost.insert(.sameSite) }
        if let expires = cookie.expires, expires.milliseconds % 1000 != 0 {
            lost.insert(.expiresFraction)
        }
        return lost
    }

    struct Body: FileBody {
        init(_ cookies: inout CookieSelection, _ context: WritingContext) {}

        mutating func begin(into bytes: inout [UInt8]) { bytes += title }

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            let identity = cookie.identity
            if cookie.httpOnly { bytes.append(contentsOf: "#HttpOnly_".utf8) }
            if !identity.hostOnly { bytes.append(UInt8(ascii: ".")) }
            bytes.append(contentsOf: identity.domain)
            bytes.append(contentsOf: (identity.hostOnly ? "\tFALSE\t" : "\tTRUE\t").utf8)
            bytes.append(contentsOf: identity.path)
            bytes.append(contentsOf: (cookie.secure ? "\tTRUE\t" : "\tFALSE\t").utf8)
            DecimalDigits.append(UInt64(clamping: cookie.expires?.seconds ?? 0), to: &bytes)
            bytes.append(tab)
            bytes.append(contentsOf: identity.name)
            bytes.append(tab)
            bytes.append(contentsOf: cookie.value.bytes)
            bytes.append(UInt8(ascii: "\n"))
        }

        mutating func end(into bytes: inout [UInt8]) {}
    }
}
